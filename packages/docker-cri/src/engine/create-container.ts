import type { Logger, Random } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { withSuffix } from '../names/docker-names.ts';
import type { DockerEngine } from './docker-engine.ts';
import { DockerError, isConflict, isMissing } from './docker-error.ts';
import type { DockerContainer, DockerCreateBody } from './docker-types.ts';

/** Creates containers under names that only one of them may have. */
export interface ContainerCreator {
  /** Creates a container and returns its id. Rejects with AlreadyExists when another container has the name. */
  create(name: string, body: DockerCreateBody, signal?: AbortSignal): Promise<string>;
}

const SUFFIX_BYTES = 4;
/** States of containers that Docker failed to remove. */
const BROKEN: ReadonlySet<string> = new Set(['dead', 'removing']);
/** Largest number of names whose creation has an unknown outcome. */
const MAX_UNCERTAIN_NAMES = 1000;

/** Creates a {@link ContainerCreator}. It recovers names that a call with an unknown outcome, or a fault of Docker, has left reserved. */
export function createContainerCreator(engine: DockerEngine, random: Random, logger: Logger): ContainerCreator {
  /** Names for which Docker's answer was lost: a container may exist that no caller has seen. */
  const uncertainNames = new Set<string>();

  const post = async (name: string, body: DockerCreateBody, signal?: AbortSignal): Promise<string> => {
    try {
      const { Id } = await engine.json<{ Id: string }>('POST', '/containers/create', { query: { name }, body, signal });
      uncertainNames.delete(name);
      return Id;
    } catch (error) {
      if (!(error instanceof DockerError) && uncertainNames.size < MAX_UNCERTAIN_NAMES) uncertainNames.add(name);
      throw error;
    }
  };
  /** Frees a name. Returns whether it can be used again, `missing` when Docker reserves it for a container that does not exist. */
  const free = async (name: string, signal?: AbortSignal): Promise<boolean | 'missing'> => {
    let owner: DockerContainer;
    try {
      owner = await engine.json<DockerContainer>('GET', `/containers/${name}/json`, { signal });
    } catch (error) {
      if (isMissing(error)) return 'missing';
      throw error;
    }
    const isUnseen = uncertainNames.has(name) && owner.State.Status === 'created';
    if (!isUnseen && !BROKEN.has(owner.State.Status)) return false;
    logger.warn('removing a container that an earlier call has left', { name, containerId: owner.Id });
    try {
      await engine.json('DELETE', `/containers/${owner.Id}`, { query: { force: true, v: true }, signal });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return true;
  };
  return {
    async create(name, body, signal) {
      try {
        return await post(name, body, signal);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const isFree = await free(name, signal);
        if (isFree === false) {
          throw new ServiceError(StatusCode.AlreadyExists, `the name ${name} is in use: ${error.message}`, {
            cause: error,
          });
        }
        return post(isFree === 'missing' ? withSuffix(name, random.hex(SUFFIX_BYTES)) : name, body, signal);
      }
    },
  };
}
