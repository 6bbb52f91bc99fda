import type { StatusRestorer } from '@rxlet/agent-api/statuses';
import { abortable, errorMessage, type Lifetime, type Logger } from '@rxlet/component-base';
import { whenTrue } from '@rxlet/component-base/streams';
import type { Pleg } from '@rxlet/pleg';
import type { PodConfig } from '@rxlet/pod-config';
import type { ModuleHost } from '../host/module-host.ts';
import type { RuntimeState } from '../core/runtime-state.ts';
import type { SyncLoop } from '../sync-loop/sync-loop.ts';
import type { RuntimeIdentity } from './runtime-identity.ts';

/** Parts that are started. */
export interface StartPorts {
  readonly host: Pick<ModuleHost, 'start'>;
  readonly restorer: Pick<StatusRestorer, 'load'>;
  readonly runtimeIdentity: Pick<RuntimeIdentity, 'load'>;
  readonly runtimeState: Pick<RuntimeState, 'start'>;
  readonly loop: Pick<SyncLoop, 'start'>;
  readonly pleg: Pick<Pleg, 'start' | 'hasListed'>;
  readonly config: Pick<PodConfig, 'start'>;
  readonly logger: Logger;
}

/** Creates the function that starts an agent: modules first, then the core, and pod sources last. Later calls return the promise of the first. */
export function createStart(ports: StartPorts, lifetime: Lifetime): () => Promise<void> {
  const { host, restorer, runtimeIdentity, runtimeState, loop, pleg, config, logger } = ports;
  const startSources = async (): Promise<void> => {
    // The first relist finds the pods of an earlier run.
    await whenTrue(pleg.hasListed, lifetime.signal);
    config.start();
  };
  const start = async (): Promise<void> => {
    // Modules end their starts when the host is disposed of, which comes after this.
    await abortable(host.start(), lifetime.signal);
    await restorer.load();
    await runtimeIdentity.load(lifetime.signal);
    lifetime.signal.throwIfAborted();
    runtimeState.start();
    loop.start();
    pleg.start();
    void lifetime.track(startSources()).catch((error: unknown) => {
      if (!lifetime.signal.aborted) logger.error('cannot start the pod sources', { error: errorMessage(error) });
    });
  };
  let started: Promise<void> | undefined;
  return () => (started ??= lifetime.track(start()));
}
