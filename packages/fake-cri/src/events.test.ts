import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  PodSandboxState,
  StatusCode,
} from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { codeOf, createBench } from './test-support.ts';

function readable(event: ContainerEventResponse): string {
  const sandbox = PodSandboxState[event.podSandboxStatus!.state].replace('SANDBOX_', '');
  const containers = event.containersStatuses.map((status) => ContainerState[status.state].replace('CONTAINER_', ''));
  return `${ContainerEventType[event.containerEventType].replace(/^CONTAINER_|_EVENT$/g, '')} ${sandbox} [${containers.join(' ')}]`;
}

describe('GetContainerEvents', () => {
  it('reports the life of a pod, with the status of the pod at each moment', async () => {
    const { fake, clock, runSandbox, create } = await createBench();
    const events: ContainerEventResponse[] = [];
    const reading = (async () => {
      for await (const event of fake.runtime.getContainerEvents({})) events.push(event);
    })();
    await clock.settle();
    const podSandboxId = await runSandbox();
    const containerId = await create(podSandboxId, { command: ['sleep', '3'] });
    await fake.runtime.startContainer({ containerId });
    await clock.advance(3000);
    await fake.runtime.stopPodSandbox({ podSandboxId });
    await fake.runtime.removePodSandbox({ podSandboxId });
    await clock.settle();
    expect(
      events.map((event) => `${event.containerId === podSandboxId ? 'sandbox' : 'container'} ${readable(event)}`),
    ).toEqual([
      'sandbox CREATED READY []',
      'sandbox STARTED READY []',
      'container CREATED READY [CREATED]',
      'container STARTED READY [RUNNING]',
      'container STOPPED READY [EXITED]',
      'sandbox STOPPED NOTREADY [EXITED]',
      'container DELETED NOTREADY []',
      'sandbox DELETED NOTREADY []',
    ]);
    expect(events[4]).toMatchObject({ containersStatuses: [{ id: containerId, exitCode: 0, reason: 'Completed' }] });
    for (const [index, event] of events.entries()) {
      if (index > 0) expect(event.createdAt).toBeGreaterThan(events[index - 1]!.createdAt);
    }
    await fake[Symbol.asyncDispose]();
    expect(await codeOf(reading)).toBe(StatusCode.Unavailable);
  });

  it('ends a subscriber that falls too far behind, and no other', async () => {
    const { fake, runSandbox } = await createBench({ eventQueueSize: 3 });
    const slow = fake.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const quick = fake.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const pods = [slow.next(), quick.next()];
    await runSandbox();
    await Promise.all(pods);
    for (let count = 0; count < 2; count++) {
      await runSandbox();
      await quick.next();
      await quick.next();
    }
    expect(await codeOf(slow.next())).toBe(StatusCode.ResourceExhausted);
    expect((await quick.next()).done).toBe(false);
  });

  it('ends with Canceled when its signal aborts, and quietly when the loop is left', async () => {
    const { fake, clock, runSandbox } = await createBench();
    const controller = new AbortController();
    const events = fake.runtime.getContainerEvents({}, { signal: controller.signal })[Symbol.asyncIterator]();
    const next = codeOf(events.next());
    await clock.settle();
    controller.abort();
    expect(await next).toBe(StatusCode.Canceled);
    expect((await events.next()).done).toBe(true);

    const left = fake.runtime.getContainerEvents({})[Symbol.asyncIterator]();
    const waiting = left.next();
    await clock.settle();
    await left.return!();
    expect((await waiting).done).toBe(true);
    await runSandbox();
    expect((await left.next()).done).toBe(true);
  });
});
