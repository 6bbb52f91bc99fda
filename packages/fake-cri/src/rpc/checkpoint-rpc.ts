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
import { writeNewFile } from '../checkpoint/write-new-file.ts';
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
