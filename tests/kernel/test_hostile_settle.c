#include "flowbook.h"
void test_hostile_settle(void){}
