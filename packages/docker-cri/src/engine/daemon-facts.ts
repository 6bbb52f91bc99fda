import type { DockerEngine } from './docker-engine.ts';
import type { DockerInfo } from './docker-types.ts';

/** Facts about the daemon that change only with its restart. */
export interface DaemonFacts {
  /** Returns the facts as last read. */
  get(signal?: AbortSignal): Promise<DockerInfo>;
  /** Reads them from Docker. */
  refresh(signal?: AbortSignal): Promise<DockerInfo>;
}

/** Creates {@link DaemonFacts}. The status of the runtime refreshes them, which callers read every few seconds. */
export function createDaemonFacts(engine: DockerEngine): DaemonFacts {
  let known: DockerInfo | undefined;
  const refresh = async (signal?: AbortSignal): Promise<DockerInfo> =>
    (known = await engine.json<DockerInfo>('GET', '/info', { signal }));
  return { refresh, get: async (signal) => known ?? refresh(signal) };
}
