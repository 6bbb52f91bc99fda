import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { podArgs } from './attachment.ts';
import { sandboxAddresses } from './result.ts';
import { createTestNode, type TestNode } from './test-support/plugin-folder.ts';

const RESULT = `'{"cniVersion":"1.0.0","ips":[{"address":"10.1.0.2/16"}]}'`;
const attachment = { containerId: 'abc123', netnsPath: '/proc/42/ns/net' };
const network = (plugins: object[], fields: object = {}) => ({ cniVersion: '1.0.0', name: 'net', plugins, ...fields });

/** Configures a chain of two plugins that succeed. */
async function chain(node: TestNode): Promise<void> {
  await node.plugin('first', `[ $CNI_COMMAND != ADD ] || echo ${RESULT}`);
  await node.plugin('second', `[ $CNI_COMMAND != ADD ] || echo ${RESULT} | sed s/10.1.0.2/10.1.0.3/`);
  const plugins = [
    { type: 'first', mtu: 1400 },
    { type: 'second', capabilities: { portMappings: true } },
  ];
  await node.configure('10-net.conflist', network(plugins));
}

describe('createCni', () => {
  it('adds by all plugins in order, each with the result of the one before', async () => {
    await using node = await createTestNode();
    await chain(node);
    const args = podArgs({ name: 'web', namespace: 'default', uid: 'u1', sandboxId: 'abc123' });
    const portMappings = [{ hostPort: 8080, containerPort: 80, protocol: 'tcp' }];
    const result = await node.cni.add({ ...attachment, args, capabilities: { portMappings, dns: {} } });
    expect(sandboxAddresses(result)).toEqual(['10.1.0.3']);
    expect(await node.calls()).toEqual(['first ADD', 'second ADD']);
    expect(await node.input('first', 'ADD')).toEqual({ type: 'first', mtu: 1400, name: 'net', cniVersion: '1.0.0' });
    expect(await node.input('second', 'ADD')).toMatchObject({
      runtimeConfig: { portMappings },
      prevResult: { ips: [{ address: '10.1.0.2/16' }] },
    });
    expect(await node.environment('second', 'ADD')).toMatchObject({
      CNI_CONTAINERID: 'abc123',
      CNI_NETNS: '/proc/42/ns/net',
      CNI_IFNAME: 'eth0',
      CNI_ARGS:
        'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web;K8S_POD_INFRA_CONTAINER_ID=abc123;K8S_POD_UID=u1',
      CNI_PATH: join(node.folder, 'bin'),
    });
    expect(sandboxAddresses((await node.cni.result('abc123'))!)).toEqual(['10.1.0.3']);
  });

  it("stores results in libcni's layout", async () => {
    await using node = await createTestNode();
    await chain(node);
    await node.cni.add(attachment);
    const results = join(node.folder, 'cache', 'results');
    expect(await readdir(results)).toEqual(['net-abc123-eth0']);
    const stored = JSON.parse(await readFile(join(results, 'net-abc123-eth0'), 'utf8')) as Record<string, string>;
    expect(stored).toMatchObject({
      kind: 'cniCacheV1',
      containerId: 'abc123',
      ifName: 'eth0',
      networkName: 'net',
      result: { ips: [{ address: '10.1.0.3/16' }] },
    });
    expect(JSON.parse(Buffer.from(stored['config']!, 'base64').toString())).toMatchObject({ name: 'net' });
  });

  it('removes in reverse order with the configuration of the connection, however often', async () => {
    await using node = await createTestNode();
    await chain(node);
    await node.cni.add(attachment);
    await node.configure('10-net.conflist', network([{ type: 'other' }], { name: 'other' }));
    await node.cni.remove({ containerId: 'abc123', netnsPath: undefined });
    expect((await node.calls()).slice(2)).toEqual(['second DEL', 'first DEL']);
    expect(await node.input('first', 'DEL')).toMatchObject({ name: 'net', prevResult: { ips: [{}] } });
    expect((await node.environment('first', 'DEL'))['CNI_NETNS']).toBe('');
    expect(await node.cni.attachments()).toEqual([]);
    await node.plugin('other', 'exit 0');
    await node.cni.remove(attachment);
    expect((await node.calls()).at(-1)).toBe('other DEL');
  });

  it('removes without an error when no network is configured', async () => {
    await using node = await createTestNode();
    await node.cni.remove(attachment);
  });

  it('removes what plugins before a failed one have connected', async () => {
    await using node = await createTestNode();
    await chain(node);
    await node.plugin(
      'second',
      `[ $CNI_COMMAND = DEL ] || { echo '{"code":100,"msg":"no ports","details":"80"}'; exit 1; }`,
    );
    await expect(node.cni.add(attachment)).rejects.toMatchObject({
      reason: 'PluginFailed',
      code: 100,
      message: 'plugin type="second" failed (add): no ports; 80',
    });
    expect(await node.calls()).toEqual(['first ADD', 'second ADD', 'second DEL', 'first DEL']);
    expect(await node.cni.attachments()).toEqual([]);
  });

  it('keeps the trace of a connection whose removal failed', async () => {
    await using node = await createTestNode();
    await chain(node);
    await node.cni.add(attachment);
    await node.plugin('first', 'echo broken >&2; exit 3');
    await expect(node.cni.remove(attachment)).rejects.toThrow(
      'plugin type="first" failed (del): broken; exit status 3',
    );
    expect(await node.cni.attachments()).toHaveLength(1);
  });

  it('kills a hung plugin and its children at the deadline', async () => {
    await using node = await createTestNode({ timeoutMs: 300 });
    await node.plugin('hung', `sh -c 'echo $$ > ${node.folder}/child; exec sleep 600'; echo late`);
    await node.configure('10-net.conflist', network([{ type: 'hung' }]));
    await expect(node.cni.add(attachment)).rejects.toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'plugin type="hung" failed (add): no answer within 300 ms',
    });
    const pid = (await readFile(join(node.folder, 'child'), 'utf8')).trim();
    await expect.poll(() => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('');
  });

  it('stops waiting when the caller cancels', async () => {
    await using node = await createTestNode();
    await node.plugin('hung', '[ $CNI_COMMAND = DEL ] || sleep 600');
    await node.configure('10-net.conflist', network([{ type: 'hung' }]));
    const cancel = new AbortController();
    const call = node.cni.add(attachment, cancel.signal);
    await expect.poll(() => node.calls()).toEqual(['hung ADD']);
    cancel.abort(new Error('caller left'));
    await expect(call).rejects.toThrow('caller left');
    expect(await node.calls()).toEqual(['hung ADD', 'hung DEL']);
  });

  it('checks by plugins of versions that can', async () => {
    await using node = await createTestNode();
    await chain(node);
    await expect(node.cni.check(attachment)).rejects.toThrow('container "abc123" is not connected');
    await node.cni.add(attachment);
    await node.cni.check(attachment);
    expect((await node.calls()).slice(2)).toEqual(['first CHECK', 'second CHECK']);
    expect(await node.input('first', 'CHECK')).toMatchObject({ prevResult: { ips: [{ address: '10.1.0.3/16' }] } });
    await node.configure('10-net.conflist', network([{ type: 'first' }], { disableCheck: true }));
    await node.cni.check(attachment);
    expect(await node.calls()).toHaveLength(4);
  });

  it.each([
    [{ containerId: '../x' }, 'the container id "../x" is invalid'],
    [{ interfaceName: 'a/b' }, 'the interface name "a/b" is invalid'],
    [{ interfaceName: 'much-too-long-name' }, 'the interface name "much-too-long-name" is invalid'],
    [{ args: [['K', 'a;CNI=b']] as const }, 'the argument "K=a;CNI=b" contains a separator'],
  ])('rejects an attachment with %j', async (fields, message) => {
    await using node = await createTestNode();
    await expect(node.cni.add({ ...attachment, ...fields })).rejects.toThrow(message);
  });
});

describe('status of the network', () => {
  it('follows the configuration folder', async () => {
    await using node = await createTestNode();
    const folder = join(node.folder, 'net.d');
    const notReady = (message: string) => ({ isReady: false, message });
    expect(await node.cni.status()).toEqual(notReady(`cni config uninitialized: no networks found in ${folder}`));
    await writeFile(join(folder, '10-a.conflist'), '{}');
    expect(await node.cni.status()).toEqual(
      notReady('cni config uninitialized: 10-a.conflist: the field "name" is missing'),
    );
    await node.configure('10-a.conflist', network([{ type: 'first' }]));
    expect(await node.cni.status()).toEqual(notReady(`failed to find plugin "first" in path [${node.folder}/bin]`));
    await node.plugin('first', 'exit 0', ['0.4.0']);
    expect(await node.cni.status()).toMatchObject({
      isReady: false,
      message: expect.stringContaining('does not support the CNI version 1.0.0') as string,
    });
    await node.plugin('first', 'exit 0');
    expect(await node.cni.status()).toEqual({ isReady: true, network: 'net' });
    await rm(folder, { recursive: true });
    expect(await node.cni.status()).toMatchObject({ isReady: false });
  });

  it('passes over directories, and files that are too large', async () => {
    await using node = await createTestNode();
    await mkdir(join(node.folder, 'net.d/05-old.conf'));
    await writeFile(join(node.folder, 'net.d/06-large.conf'), ' '.repeat(2 ** 20 + 1));
    await node.configure('10-a.conflist', network([{ type: 'first' }]));
    await node.plugin('first', 'exit 0');
    expect(await node.cni.status()).toEqual({ isReady: true, network: 'net' });
    await rm(join(node.folder, 'net.d/10-a.conflist'));
    expect(await node.cni.status()).toMatchObject({
      message: expect.stringMatching(/^cni config uninitialized: 05-old\.conf: .* is not a regular file$/) as string,
    });
  });

  it('asks plugins from version 1.1.0 on', async () => {
    await using node = await createTestNode();
    await node.plugin('first', `echo '{"code":50,"msg":"no controller"}'; exit 1`);
    await node.configure('10-a.conflist', network([{ type: 'first' }], { cniVersion: '1.1.0' }));
    expect(await node.cni.status()).toEqual({
      isReady: false,
      message: 'plugin type="first" failed (status): no controller',
    });
  });
});
