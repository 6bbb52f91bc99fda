import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { create, toJson } from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import {
  CheckpointContainerResponseSchema,
  ContainerConfigSchema,
  ContainerStatusSchema,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { tarArchive } from '../checkpoint/tar-archive.ts';
import { isRunning, stateName } from '../container.ts';
import type { Container } from '../runtime-objects.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { RuntimeHandlers } from './port.ts';

/** CheckpointContainer: writes an archive with one file, `config.json`, that describes the container. The container keeps running. */
export function checkpointRpc(state: RuntimeState): RuntimeHandlers {
  return {
    async checkpointContainer({ containerId, location }, call) {
      const container = state.containers.get(containerId);
      if (!isRunning(container)) {
        throw new ServiceError(
          StatusCode.FailedPrecondition,
          `container "${container.id}" is in ${stateName(container)} state`,
        );
      }
      if (!isAbsolute(location))
        throw new ServiceError(StatusCode.InvalidArgument, `location "${location}" is not an absolute path`);
      try {
        const archive = tarArchive('config.json', description(container), state.clock.now());
        await writeNewFile(location, archive, call.signal);
      } catch (error) {
        if (call.signal.aborted) throw call.signal.reason;
        throw new ServiceError(StatusCode.Internal, `failed to write the checkpoint: ${errorMessage(error)}`, {
          cause: error,
        });
      }
      return create(CheckpointContainerResponseSchema);
    },
  };
}

function description({ id, config, status }: Container): Uint8Array {
  const json = {
    id,
    config: toJson(ContainerConfigSchema, create(ContainerConfigSchema, config)),
    status: toJson(ContainerStatusSchema, create(ContainerStatusSchema, status)),
  };
  return new TextEncoder().encode(JSON.stringify(json));
}

/**
 * Writes a file of the host that only its owner may read, as memory images hold secrets. Rejects when `path` exists, also as a symbolic link, so that it cannot
 * be redirected. A partly written file is removed.
 */
async function writeNewFile(path: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    await file.writeFile(content, { signal });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
