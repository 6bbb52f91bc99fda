import { type AgentModule, contribute } from '@rxlet/agent-api';
import { garbageCollectionSteps } from '@rxlet/agent-api/housekeeping';

/** Creates the agent module that removes dead containers, old sandboxes and logs of pods that are gone (kubelet: StartGarbageCollection). */
export function containerGarbageCollection(): AgentModule {
  return {
    name: 'container-garbage-collection',
    setup: ({ core }) => ({
      contributions: [
        contribute(garbageCollectionSteps, {
          name: 'containers',
          failureReason: 'ContainerGCFailed',
          run: (signal) => core.collectContainerGarbage(signal),
        }),
      ],
    }),
  };
}
