import type { PodWorkers } from '@rxlet/pod-workers';
import type { RuntimeManager } from '@rxlet/runtime-manager';

/** Parts that carry out the commands of modules. */
export interface CommandedParts {
  readonly workers: Pick<PodWorkers, 'terminate'>;
  readonly runtimeManager: Pick<RuntimeManager, 'collectGarbage'>;
}

/** Commands of modules to the core. */
export interface CoreCommands {
  readonly terminate: PodWorkers['terminate'];
  readonly collectGarbage: RuntimeManager['collectGarbage'];
  /** Connects the parts that carry out the commands. */
  connect(parts: CommandedParts): void;
}

/**
 * Creates the commands without their parts. The cycle is real: modules may kill pods, and the parts that kill pods use the services and contributions of
 * modules.
 */
export function createCoreCommands(): CoreCommands {
  let connected: CommandedParts | undefined;
  const parts = (): CommandedParts => {
    if (connected === undefined) throw new TypeError('a module called the core before the agent was created');
    return connected;
  };
  return {
    terminate: (podUid, request) => parts().workers.terminate(podUid, request),
    collectGarbage: (request) => parts().runtimeManager.collectGarbage(request),
    connect(given) {
      connected = given;
    },
  };
}
