#include "ddp/trainer/train_main.hpp"

int main(int argc, char** argv) {
  ddp::trainer::train_main(argc, argv);
}
