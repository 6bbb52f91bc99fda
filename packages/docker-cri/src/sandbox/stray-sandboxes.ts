import { type Clock, errorMessage, type KeyedExecutor, type Lifetime, type Logger } from '@rxlet/component-base';
import { stopContainer } from '../container/end-container.ts';
import type { Containers } from '../engine/containers.ts';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { untilDone } from '../until-done.ts';
import type { CheckpointStore } from './checkpoint-store.ts';
import type { SandboxAddresses } from './sandbox-view.ts';

/** Sandboxes whose container runs although they have no network. They are listed as not ready, so their owner does not stop them. */
export interface StraySandboxes {
  /** Stops all of them, also those of an earlier process. Rejects when Docker does not answer. */
  stopAll(): Promise<void>;
  /** Requests {@link stopAll} in the background, repeated until it succeeds. */
  request(): void;
}

/** Ports of {@link createStraySandboxes}. */
export interface StraySandboxesPorts {
  readonly addresses: SandboxAddresses;
  readonly checkpoints: CheckpointStore;
  readonly clock: Clock;
  readonly containers: Containers;
  readonly engine: DockerEngine;
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  readonly sandboxQueue: KeyedExecutor;
}

/** Creates {@link StraySandboxes}. */
export function createStraySandboxes(ports: StraySandboxesPorts): StraySandboxes {
  const { addresses, checkpoints, containers, lifetime, logger, sandboxQueue } = ports;
  /** Requests since the background work began; 0 while there is none. */
  let requests = 0;

  const stopStray = async (id: string): Promise<void> => {
    const container = await containers.find('podsandbox', id, lifetime.signal);
    if (container?.State.Running !== true || (await addresses.get(id)).length > 0) return;
    logger.info('stopping a sandbox without a network', { id });
    await stopContainer(ports, id, 0, lifetime.signal);
  };
  const stopAll = async (): Promise<void> => {
    // By their checkpoints: those of another shim on the same Docker have none here.
    for (const { id, isHostNetwork } of await checkpoints.list()) {
      // In the queue, behind a call that is just connecting it.
      if (!isHostNetwork) await sandboxQueue.run(id, () => stopStray(id));
    }
  };
  const work = async (): Promise<void> => {
    for (let served = 0; served !== requests;) {
      const upTo = requests;
      await untilDone(ports, 'cannot stop sandboxes without a network yet', stopAll);
      served = upTo;
    }
    requests = 0;
  };

  return {
    stopAll,
    request() {
      requests += 1;
      if (requests > 1) return;
      lifetime.track(work()).catch((error: unknown) => {
        if (!lifetime.signal.aborted)
          logger.error('sandboxes without a network are not stopped any more', { error: errorMessage(error) });
      });
    },
  };
}
