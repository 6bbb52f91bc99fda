import { createLruMap } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { DockerLabel, type DockerType } from '../names/docker-labels.ts';
import type { DockerEngine } from './docker-engine.ts';
import { isMissing } from './docker-error.ts';
import { dockerTimeNanos } from './docker-time.ts';
import type { DockerContainer, DockerListedContainer } from './docker-types.ts';

/** Docker's containers that belong to Kubernetes. Others on the same machine are never touched. */
export interface Containers {
  /** Returns a container or sandbox by its id or the beginning of it. Rejects with NotFound, also for a container of another kind. */
  inspect(type: DockerType, id: string, signal?: AbortSignal): Promise<DockerContainer>;
  /** As {@link inspect}, but returns `undefined` for one that does not exist. */
  find(type: DockerType, id: string, signal?: AbortSignal): Promise<DockerContainer | undefined>;
  /** Lists containers or sandboxes, those of one sandbox if its whole id is given. */
  list(type: DockerType, sandboxId?: string, signal?: AbortSignal): Promise<readonly DockerListedContainer[]>;
  /** Returns the time of creation in nanoseconds, which Docker's list has in seconds only. */
  createdAt(listed: DockerListedContainer, signal?: AbortSignal): Promise<bigint>;
}

const KIND: Readonly<Record<DockerType, string>> = { container: 'container', podsandbox: 'sandbox' };
const MAX_TIMES = 10_000;

/** Creates {@link Containers}. */
export function createContainers(engine: DockerEngine): Containers {
  const times = createLruMap<bigint>(MAX_TIMES);
  const notFound = (type: DockerType, id: string): ServiceError =>
    new ServiceError(StatusCode.NotFound, `${KIND[type]} ${JSON.stringify(id)} not found`);
  const inspect: Containers['inspect'] = async (type, id, signal) => {
    if (!/^[0-9a-zA-Z_.-]+$/.test(id)) throw notFound(type, id);
    try {
      const container = await engine.json<DockerContainer>('GET', `/containers/${id}/json`, { signal });
      // By its id and not by its name, which Docker accepts as well.
      if (container.Config.Labels?.[DockerLabel.type] !== type || !container.Id.startsWith(id))
        throw notFound(type, id);
      times.set(container.Id, dockerTimeNanos(container.Created));
      return container;
    } catch (error) {
      throw isMissing(error) ? notFound(type, id) : error;
    }
  };
  return {
    inspect,
    async find(type, id, signal) {
      try {
        return await inspect(type, id, signal);
      } catch (error) {
        if (error instanceof ServiceError && error.code === StatusCode.NotFound) return undefined;
        throw error;
      }
    },
    async list(type, sandboxId, signal) {
      const label = [
        `${DockerLabel.type}=${type}`,
        ...(sandboxId === undefined ? [] : [`${DockerLabel.sandboxId}=${sandboxId}`]),
      ];
      const query = { all: true, filters: JSON.stringify({ label }) };
      return engine.json<readonly DockerListedContainer[]>('GET', '/containers/json', { query, signal });
    },
    async createdAt({ Id, Created }, signal) {
      const known = times.get(Id);
      if (known !== undefined) return known;
      try {
        const container = await engine.json<DockerContainer>('GET', `/containers/${Id}/json`, { signal });
        const nanos = dockerTimeNanos(container.Created);
        times.set(Id, nanos);
        return nanos;
      } catch (error) {
        // Removed since the list.
        if (isMissing(error)) return BigInt(Created) * 1_000_000_000n;
        throw error;
      }
    },
  };
}
