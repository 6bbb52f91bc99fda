import { NamespaceMode, PodSandboxState, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { codeOf, collect, createBench } from './test-support.ts';

describe('sandboxes', () => {
  it('run ready, with an id of 64 hex digits, an address and their configuration', async () => {
    const { fake, clock, runSandbox, sandbox } = await createBench();
    const id = await runSandbox('web', { labels: { app: 'web' }, annotations: { note: 'x' } });
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(await sandbox(id)).toMatchObject({
      id,
      metadata: { name: 'web', namespace: 'default', uid: 'uid-of-web', attempt: 0 },
      state: PodSandboxState.SANDBOX_READY,
      createdAt: BigInt(clock.now()) * 1_000_000n,
      network: { ip: '10.244.0.2' },
      labels: { app: 'web' },
      annotations: { note: 'x' },
      runtimeHandler: '',
    });
    const { items } = await fake.runtime.listPodSandbox({});
    expect(items).toMatchObject([{ id, state: PodSandboxState.SANDBOX_READY, labels: { app: 'web' } }]);
  });

  it('get addresses of their own, except on the host network', async () => {
    const { runSandbox, sandbox } = await createBench({ podCidr: '192.168.7.0/24' });
    const ids = [
      await runSandbox(),
      await runSandbox('host', { linux: { securityContext: { namespaceOptions: { network: NamespaceMode.NODE } } } }),
      await runSandbox(),
    ];
    const statuses = await Promise.all(ids.map(sandbox));
    expect(statuses.map((status) => status.network?.ip)).toEqual(['192.168.7.2', '', '192.168.7.3']);
    expect(statuses[1]?.linux?.namespaces?.options?.network).toBe(NamespaceMode.NODE);
  });

  it('reserve their name until they are removed', async () => {
    const { fake, runSandbox } = await createBench();
    const id = await runSandbox('web');
    await expect(runSandbox('web')).rejects.toMatchObject({
      code: StatusCode.AlreadyExists,
      message: expect.stringContaining(`name "web_default_uid-of-web_0" is reserved for "${id}"`) as string,
    });
    await runSandbox('web', { metadata: { name: 'web', namespace: 'default', uid: 'uid-of-web', attempt: 1 } });
    await fake.runtime.stopPodSandbox({ podSandboxId: id });
    expect(await codeOf(runSandbox('web'))).toBe(StatusCode.AlreadyExists);
    await fake.runtime.removePodSandbox({ podSandboxId: id });
    expect(await runSandbox('web')).not.toBe(id);
  });

  it('stop: their containers are killed, they are not ready and have no address', async () => {
    const { fake, runSandbox, create, sandbox, container } = await createBench();
    const id = await runSandbox();
    const running = await create(id);
    await fake.runtime.startContainer({ containerId: running });
    const created = await create(id, { metadata: { name: 'other', attempt: 0 } });
    await fake.runtime.stopPodSandbox({ podSandboxId: id });
    expect(await sandbox(id)).toMatchObject({ state: PodSandboxState.SANDBOX_NOTREADY, network: { ip: '' } });
    expect(await container(running)).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(await codeOf(fake.runtime.startContainer({ containerId: created }))).toBe(StatusCode.FailedPrecondition);
    expect(await codeOf(create(id, { metadata: { name: 'late', attempt: 0 } }))).toBe(StatusCode.FailedPrecondition);
  });

  it('disappear with their containers, even running ones', async () => {
    const { fake, clock, runSandbox, create } = await createBench();
    const id = await runSandbox();
    await fake.runtime.startContainer({ containerId: await create(id, { command: ['sleep', '100'] }) });
    await fake.runtime.removePodSandbox({ podSandboxId: id });
    expect(fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
    expect(clock.pendingTimers).toBe(0);
    expect(await codeOf(fake.runtime.podSandboxStatus({ podSandboxId: id }))).toBe(StatusCode.NotFound);
  });

  it('can be stopped and removed repeatedly, and when they never existed', async () => {
    const { fake, runSandbox } = await createBench();
    const podSandboxId = await runSandbox();
    for (let times = 0; times < 2; times++) await fake.runtime.stopPodSandbox({ podSandboxId });
    for (let times = 0; times < 2; times++) await fake.runtime.removePodSandbox({ podSandboxId });
    await fake.runtime.stopPodSandbox({ podSandboxId });
    await fake.runtime.stopPodSandbox({ podSandboxId: '' });
  });

  it('require metadata, and a configured runtime handler', async () => {
    const { fake } = await createBench({ runtimeHandlers: ['gvisor'] });
    const metadata = { name: 'web', namespace: 'default', uid: '1', attempt: 0 };
    expect(await codeOf(fake.runtime.runPodSandbox({ config: {} }))).toBe(StatusCode.InvalidArgument);
    expect(await codeOf(fake.runtime.runPodSandbox({ config: { metadata }, runtimeHandler: 'kata' }))).toBe(
      StatusCode.InvalidArgument,
    );
    const { podSandboxId } = await fake.runtime.runPodSandbox({ config: { metadata }, runtimeHandler: 'gvisor' });
    expect((await fake.runtime.listPodSandbox({})).items).toMatchObject([
      { id: podSandboxId, runtimeHandler: 'gvisor' },
    ]);
  });

  it('match filters by id, state and labels in combination', async () => {
    const { fake, runSandbox } = await createBench();
    const web = await runSandbox('web', { labels: { app: 'web', tier: 'front' } });
    const old = await runSandbox('old', { labels: { app: 'web', tier: 'back' } });
    await fake.runtime.stopPodSandbox({ podSandboxId: old });
    const list = async (
      filter: NonNullable<Parameters<typeof fake.runtime.listPodSandbox>[0]['filter']>,
    ): Promise<string[]> => (await fake.runtime.listPodSandbox({ filter })).items.map((item) => item.id);
    expect(await list({})).toEqual([web, old]);
    expect(await list({ id: old })).toEqual([old]);
    expect(await list({ id: old.slice(0, 12) })).toEqual([old]);
    expect(await list({ state: { state: PodSandboxState.SANDBOX_READY } })).toEqual([web]);
    expect(await list({ state: { state: PodSandboxState.SANDBOX_NOTREADY } })).toEqual([old]);
    expect(await list({ labelSelector: { app: 'web' } })).toEqual([web, old]);
    expect(await list({ labelSelector: { app: 'web', tier: 'front' } })).toEqual([web]);
    expect(await list({ id: web, labelSelector: { tier: 'back' } })).toEqual([]);
  });

  it('arrive in several messages when there are many', async () => {
    const { fake, runSandbox } = await createBench();
    for (let count = 0; count < 150; count++) await runSandbox();
    const messages = await collect(fake.runtime.streamPodSandboxes({}));
    expect(messages.map((message) => message.podSandboxes.length)).toEqual([100, 50]);
  });

  it('report additional information if verbose, and their containers in any case', async () => {
    const { fake, runSandbox, create } = await createBench();
    const podSandboxId = await runSandbox('web');
    const containerId = await create(podSandboxId);
    const response = await fake.runtime.podSandboxStatus({ podSandboxId, verbose: true });
    expect(response.containersStatuses).toMatchObject([{ id: containerId }]);
    expect(JSON.parse(response.info['info']!)).toMatchObject({ sandboxID: podSandboxId, config: { hostname: 'web' } });
    expect((await fake.runtime.podSandboxStatus({ podSandboxId })).info).toEqual({});
  });

  it('do not change when the caller changes its request afterwards', async () => {
    const { fake } = await createBench();
    const labels: Record<string, string> = { app: 'web' };
    const config = { metadata: { name: 'web', namespace: 'default', uid: '1', attempt: 0 }, labels };
    await fake.runtime.runPodSandbox({ config });
    labels['app'] = 'changed';
    expect(fake.snapshot().sandboxes).toMatchObject([{ labels: { app: 'web' } }]);
  });

  it('get their addresses from the network that UpdateRuntimeConfig names', async () => {
    const { fake, runSandbox, sandbox } = await createBench();
    await fake.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '10.9.0.0/24' } } });
    expect((await sandbox(await runSandbox())).network?.ip).toBe('10.9.0.2');
    const wrong = fake.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: 'fd00::/64' } } });
    expect(await codeOf(wrong)).toBe(StatusCode.InvalidArgument);
  });
});
