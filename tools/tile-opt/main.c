/* tile-opt: the program is in the compiler's library, which the Python package shares. */
#include "compiler/bindings/c/Tilewright.h"

int main(int argc, char **argv) { return tileOptMain(argc, argv); }
