import type { ContainerConfig, PodSandboxConfig, RuntimeService } from '@rxlet/cri-api';

/** Runtime that records the configurations of sandboxes and containers. */
export interface RecordingRuntime {
  readonly runtime: RuntimeService;
  readonly sandboxConfigs: PodSandboxConfig[];
  readonly containerConfigs: ContainerConfig[];
}

/** Wraps a runtime so that configurations are recorded before they are passed on. */
export function recordingRuntime(runtime: RuntimeService): RecordingRuntime {
  const sandboxConfigs: PodSandboxConfig[] = [];
  const containerConfigs: ContainerConfig[] = [];
  return {
    sandboxConfigs,
    containerConfigs,
    runtime: {
      ...runtime,
      runPodSandbox(request, options) {
        sandboxConfigs.push(request.config as PodSandboxConfig);
        return runtime.runPodSandbox(request, options);
      },
      createContainer(request, options) {
        containerConfigs.push(request.config as ContainerConfig);
        return runtime.createContainer(request, options);
      },
    },
  };
}
