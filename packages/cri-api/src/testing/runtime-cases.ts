import assert from 'node:assert/strict';
import { ContainerEventType, type ContainerEventResponse } from '../../gen/runtime/v1/messages.js';
import { StatusCode } from '../status-code.ts';
import { type ContractCase, type ContractSubject, failsWith, runSandbox, waitFor } from './contract-subject.ts';

/** Version, status and events. */
export const runtimeCases: readonly ContractCase[] = [
  {
    name: 'reports its name, its version and v1 of the CRI',
    async check({ runtime }) {
      const { version, runtimeName, runtimeVersion, runtimeApiVersion } = await runtime.version({ version: '0.1.0' });
      assert.equal(version, '0.1.0');
      assert.equal(runtimeApiVersion, 'v1');
      assert.notEqual(runtimeName, '');
      assert.notEqual(runtimeVersion, '');
    },
  },
  {
    name: 'reports whether itself and its network are ready',
    async check({ runtime }) {
      const { status, info } = await runtime.status({});
      const types = status?.conditions.map(({ type }) => type);
      // A runtime may have conditions of its own, such as containerd's deprecation warnings.
      for (const type of ['NetworkReady', 'RuntimeReady']) assert.ok(types?.includes(type), type);
      assert.deepEqual(info, {});
    },
  },
  {
    name: 'adds information to statuses only on request',
    async check(subject) {
      await using sandbox = await runSandbox(subject, 'verbose');
      const containerId = await sandbox.create('main', 'sleep 60');
      for (const verbose of [false, true]) {
        const infos = [
          await subject.runtime.podSandboxStatus({ podSandboxId: sandbox.id, verbose }),
          await subject.runtime.containerStatus({ containerId, verbose }),
        ];
        for (const { info } of infos) assert.equal(Object.keys(info).length > 0, verbose);
      }
    },
  },
  {
    name: 'streams the events of a container and its sandbox, or reports Unimplemented',
    async check(subject) {
      if (!subject.hasEvents) {
        const events = subject.runtime.getContainerEvents({})[Symbol.asyncIterator]();
        await failsWith(StatusCode.Unimplemented, events.next());
        return;
      }
      const stop = new AbortController();
      const received: ContainerEventResponse[] = [];
      const reading = readEvents(subject, stop.signal, received);
      await subject.pass(100);
      let id: string;
      let containerId: string;
      {
        await using sandbox = await runSandbox(subject, 'events');
        id = sandbox.id;
        containerId = await sandbox.start('main', 'sleep 60');
        await subject.runtime.stopContainer({ containerId, timeout: 0n });
        await subject.runtime.removeContainer({ containerId });
      }
      const typesOf = (own: string): ContainerEventType[] =>
        received.filter((event) => event.containerId === own).map((event) => event.containerEventType);
      const { CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT, CONTAINER_DELETED_EVENT } =
        ContainerEventType;
      const life = [CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT, CONTAINER_DELETED_EVENT];
      await waitFor(subject, 'last event', () => typesOf(id).length >= life.length || undefined);
      stop.abort();
      await reading;
      assert.deepEqual(typesOf(containerId), life);
      assert.deepEqual(typesOf(id), life);
    },
  },
];

async function readEvents(
  { runtime }: ContractSubject,
  signal: AbortSignal,
  received: ContainerEventResponse[],
): Promise<void> {
  try {
    for await (const event of runtime.getContainerEvents({}, { signal })) received.push(event);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
