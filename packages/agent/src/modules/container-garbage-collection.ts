import type { AgentModule } from '@rxlet/agent-api';

/** Creates the agent module that removes dead containers, old sandboxes and logs of pods that are gone (kubelet: StartGarbageCollection). */
export function containerGarbageCollection(): AgentModule {
  return {
    name: 'container-garbage-collection',
    setup: ({ core }) => ({
      garbageCollection: [
        { name: 'containers', failureReason: 'ContainerGCFailed', run: core.collectContainerGarbage },
      ],
    }),
  };
}
