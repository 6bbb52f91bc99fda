import { createInterface } from 'node:readline';
import { create } from '@bufbuild/protobuf';
import {
  type ContainerEventResponse,
  ContainerEventResponseSchema,
  ContainerEventType,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import type { Backend } from '../backend.ts';
import { containerStatus } from '../container/container-status.ts';
import type { DockerContainer, DockerEvent } from '../engine/docker-types.ts';
import { DockerLabel } from '../names/docker-labels.ts';
import { sandboxStatus } from '../sandbox/sandbox-view.ts';

const TYPES: Readonly<Record<string, ContainerEventType>> = {
  create: ContainerEventType.CONTAINER_CREATED_EVENT,
  start: ContainerEventType.CONTAINER_STARTED_EVENT,
  die: ContainerEventType.CONTAINER_STOPPED_EVENT,
  destroy: ContainerEventType.CONTAINER_DELETED_EVENT,
};

/**
 * Streams the events of sandboxes and containers from Docker's events. Ends with Unavailable when Docker's stream ends, since events may have been lost; callers
 * then list and subscribe again. Docker bounds what a slow reader has not read.
 */
export async function* containerEvents(backend: Backend, signal: AbortSignal): AsyncGenerator<ContainerEventResponse> {
  const { engine } = backend;
  const query = {
    filters: JSON.stringify({ type: ['container'], event: Object.keys(TYPES), label: [DockerLabel.type] }),
  };
  const source = await engine.stream('GET', '/events', { query, signal });
  try {
    for await (const line of createInterface({ input: source })) {
      const { Action, Actor, timeNano } = JSON.parse(line) as DockerEvent;
      const type = TYPES[Action];
      if (type === undefined) continue;
      const sandboxId = Actor.Attributes[DockerLabel.sandboxId] ?? Actor.ID;
      yield create(ContainerEventResponseSchema, {
        containerId: Actor.ID,
        containerEventType: type,
        createdAt: BigInt(timeNano),
        ...(await statusesOf(backend, sandboxId, signal)),
      });
    }
  } finally {
    source.destroy();
  }
  signal.throwIfAborted();
  throw new ServiceError(StatusCode.Unavailable, "Docker's stream of events has ended");
}

async function statusesOf({ containers, addresses, images }: Backend, sandboxId: string, signal: AbortSignal) {
  const sandbox = await containers.find('podsandbox', sandboxId, signal);
  const listed = await containers.list('container', sandboxId, signal);
  const own = await Promise.all(listed.map(({ Id }) => containers.find('container', Id, signal)));
  const present = own.filter((container): container is DockerContainer => container !== undefined);
  const statuses = present.map(async (container) =>
    containerStatus(container, await images.refOf(container.Image, signal)),
  );
  return {
    ...(sandbox !== undefined && { podSandboxStatus: sandboxStatus(sandbox, await addresses.get(sandbox.Id)) }),
    containersStatuses: await Promise.all(statuses),
  };
}
