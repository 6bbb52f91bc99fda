import assert from 'node:assert/strict';
import { ContainerState, PodSandboxState } from '../../gen/runtime/v1/messages.js';
import { containerIn, type ContractCase, runSandbox } from './contract-subject.ts';

/** Lists and their filters. */
export const listCases: readonly ContractCase[] = [
  {
    name: 'filters sandboxes by id, state and labels, all of which must match',
    async check(subject) {
      const { runtime } = subject;
      await using ready = await runSandbox(subject, 'list-ready', { labels: { list: 'sandboxes', app: 'a' } });
      await using stopped = await runSandbox(subject, 'list-stopped', { labels: { list: 'sandboxes', app: 'b' } });
      await runtime.stopPodSandbox({ podSandboxId: stopped.id });
      const { SANDBOX_NOTREADY, SANDBOX_READY } = PodSandboxState;
      const list = async (filter: Filter<'listPodSandbox'>): Promise<string[]> => {
        const { items } = await runtime.listPodSandbox({
          filter: { ...filter, labelSelector: { list: 'sandboxes', ...filter.labelSelector } },
        });
        return items.map(({ id }) => id).sort();
      };
      assert.deepEqual(await list({}), [ready.id, stopped.id].sort());
      assert.deepEqual(await list({ state: { state: SANDBOX_READY } }), [ready.id]);
      assert.deepEqual(await list({ state: { state: SANDBOX_NOTREADY } }), [stopped.id]);
      assert.deepEqual(await list({ labelSelector: { app: 'b' } }), [stopped.id]);
      assert.deepEqual(await list({ id: ready.id }), [ready.id]);
      assert.deepEqual(await list({ id: ready.id.slice(0, 16) }), [ready.id]);
      assert.deepEqual(await list({ id: ready.id, labelSelector: { app: 'b' } }), []);
      assert.deepEqual(await list({ id: 'no-such-sandbox' }), []);
    },
  },
  {
    name: 'filters containers by id, sandbox, state and labels, all of which must match',
    async check(subject) {
      const { runtime } = subject;
      await using first = await runSandbox(subject, 'list-first');
      await using second = await runSandbox(subject, 'list-second');
      const label = (app: string): { labels: Record<string, string> } => ({ labels: { list: 'containers', app } });
      const created = await first.create('created', 'sleep 60', label('a'));
      const running = await first.start('running', 'sleep 60', label('b'));
      const exited = await second.start('exited', 'exit 0', label('b'));
      const { CONTAINER_CREATED, CONTAINER_EXITED, CONTAINER_RUNNING } = ContainerState;
      await containerIn(subject, exited, CONTAINER_EXITED);
      const list = async (filter: Filter<'listContainers'>): Promise<string[]> => {
        const { containers } = await runtime.listContainers({
          filter: { ...filter, labelSelector: { list: 'containers', ...filter.labelSelector } },
        });
        return containers.map(({ id }) => id).sort();
      };
      assert.deepEqual(await list({}), [created, running, exited].sort());
      assert.deepEqual(await list({ state: { state: CONTAINER_CREATED } }), [created]);
      assert.deepEqual(await list({ state: { state: CONTAINER_RUNNING } }), [running]);
      assert.deepEqual(await list({ state: { state: CONTAINER_EXITED } }), [exited]);
      assert.deepEqual(await list({ podSandboxId: first.id }), [created, running].sort());
      assert.deepEqual(await list({ podSandboxId: first.id.slice(0, 16) }), [created, running].sort());
      assert.deepEqual(await list({ labelSelector: { app: 'b' } }), [running, exited].sort());
      assert.deepEqual(await list({ podSandboxId: first.id, labelSelector: { app: 'b' } }), [running]);
      assert.deepEqual(await list({ id: exited.slice(0, 16) }), [exited]);
      assert.deepEqual(await list({ id: exited, podSandboxId: first.id }), []);
      assert.deepEqual(await list({ podSandboxId: 'no-such-sandbox' }), []);
    },
  },
];

/** The fields of a filter that the cases use. */
interface Filters {
  listPodSandbox: { id?: string; state?: { state: PodSandboxState }; labelSelector?: Record<string, string> };
  listContainers: {
    id?: string;
    podSandboxId?: string;
    state?: { state: ContainerState };
    labelSelector?: Record<string, string>;
  };
}
type Filter<K extends keyof Filters> = Filters[K];
