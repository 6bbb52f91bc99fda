import { clone, create } from '@bufbuild/protobuf';
import {
  LinuxContainerResourcesSchema,
  LinuxPodSandboxConfigSchema,
  ServiceError,
  StatusCode,
  UpdatePodSandboxResourcesResponseSchema,
} from '@rxlet/cri-api';
import type { RuntimeState } from '../runtime-state.ts';
import { isReady } from '../sandbox.ts';
import type { RuntimeHandlers } from './port.ts';

/** UpdatePodSandboxResources: the resources appear in the configuration of the verbose status. Unset fields keep their values. */
export function sandboxResourcesRpc(state: RuntimeState): RuntimeHandlers {
  return {
    updatePodSandboxResources({ podSandboxId, overhead, resources }) {
      const sandbox = state.sandboxes.get(podSandboxId);
      if (!isReady(sandbox))
        throw new ServiceError(StatusCode.FailedPrecondition, `sandbox "${sandbox.id}" is not ready`);
      const { config } = sandbox;
      const linux = { ...(config.linux ?? create(LinuxPodSandboxConfigSchema)) };
      // The caller may change its request afterwards.
      if (overhead !== undefined) linux.overhead = clone(LinuxContainerResourcesSchema, overhead);
      if (resources !== undefined) linux.resources = clone(LinuxContainerResourcesSchema, resources);
      sandbox.config = { ...config, linux };
      return create(UpdatePodSandboxResourcesResponseSchema);
    },
  };
}
