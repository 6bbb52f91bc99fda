import { once } from 'node:events';
import { connect } from 'node:net';
import { NamespaceMode, StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { createBench } from '../test-support.ts';
import { acceptOnly } from './port-service.ts';

describe('the network of a runtime', () => {
  it('assigns pods addresses of the cluster, without listening on them', async () => {
    const { fake, runSandbox, sandbox } = await createBench();
    const { network } = await sandbox(await runSandbox());
    expect(network?.ip).toBe('10.244.0.2');
    fake.network.serve('10.244.0.2', 80, acceptOnly, 'default/web');
    expect((await fake.network.dial('10.244.0.2', 80)).destroyed).toBe(false);
    await fake[Symbol.asyncDispose]();
    await expect(fake.network.dial('10.244.0.2', 80)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('assigns pods loopback addresses only, so that they can be reached from outside', async () => {
    const { fake, runSandbox, sandbox } = await createBench({ podNetwork: 'loopback', podCidr: '127.65.0.0/24' });
    await fake.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '10.244.0.0/24' } } });
    const { network } = await sandbox(await runSandbox());
    expect(network?.ip).toBe('127.65.0.2');
    await fake.network.serve('127.65.0.2', 18090, acceptOnly, 'default/web').listening;
    const socket = connect(18090, '127.65.0.2');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    await fake[Symbol.asyncDispose]();
    await closed;
  });

  it('assigns them from 127.64.0.0/10 by default, and rejects networks that are not loopback', async () => {
    const { runSandbox, sandbox } = await createBench({ podNetwork: 'loopback' });
    expect((await sandbox(await runSandbox())).network?.ip).toBe('127.64.0.2');
    await expect(createBench({ podNetwork: 'loopback', podCidr: '10.0.0.0/8' })).rejects.toMatchObject({
      code: StatusCode.InvalidArgument,
    });
  });

  it('has the ports of a script until its container ends, also on the network of the host', async () => {
    const { fake, clock, runSandbox, create } = await createBench({ podNetwork: 'loopback', podCidr: '127.66.0.0/24' });
    const annotations = { 'fake.rxlet.dev/main': 'ports:\n  - { port: 18091, protocol: tcp }' };
    const onHost = { linux: { securityContext: { namespaceOptions: { network: NamespaceMode.NODE } } } };
    const containers = [];
    for (const config of [{}, onHost]) {
      const containerId = await create(await runSandbox(undefined, config), { annotations });
      await fake.runtime.startContainer({ containerId });
      containers.push(containerId);
    }
    for (const [index, ip] of ['127.66.0.2', '127.0.0.1'].entries()) {
      const socket = connect(18091, ip);
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      socket.on('error', () => undefined);
      await fake.runtime.stopContainer({ containerId: containers[index]!, timeout: 10n });
      await closed;
      const refused = connect(18091, ip);
      const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');
    }
    await fake[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
