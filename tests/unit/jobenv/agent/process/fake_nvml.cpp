// Two GPUs, as NVML tells of them: the process that FAKE_NVML_PID names is on the second one.

#include <cstdlib>

extern "C" {

int nvmlInit_v2() {
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static char devices[2];
  *device = &devices[index];
  return 0;
}

static bool is_second(void* device) {
  void* second = nullptr;
  nvmlDeviceGetHandleByIndex_v2(1, &second);
  return device == second;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
  rates[0] = is_second(device) ? 83 : 7;
  rates[1] = 1;
  return 0;
}

struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned instances[2];
};

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* processes) {
  *count = 1;
  processes[0] = {is_second(device) ? static_cast<unsigned>(std::atoi(std::getenv("FAKE_NVML_PID"))) : 1U,
                  1ULL << 30,
                  {}};
  return 0;
}
}
