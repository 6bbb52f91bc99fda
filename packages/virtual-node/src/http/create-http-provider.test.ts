import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProcessProvider } from '../processes/create-process-provider.ts';
import { startJobService } from '../test-support/job-service.ts';
import { podProviderContract, type ProviderSubject } from '../testing/pod-provider-contract.ts';
import { createHttpProvider } from './create-http-provider.ts';

const call = { signal: new AbortController().signal };

/** A provider whose pods are processes behind a service. */
async function createSubject(): Promise<ProviderSubject> {
  const directory = await mkdtemp(join(tmpdir(), 'job-service-'));
  const jobs = createProcessProvider({ clock: systemClock }, { directory });
  const service = await startJobService(jobs);
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]();
    await jobs[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  const connect = () => createHttpProvider({ clock: systemClock }, { url: service.url });
  return {
    provider: connect(),
    clock: systemClock,
    pass: (ms) => sleep(systemClock, ms),
    container({ exitCode, text = '' }) {
      const script = exitCode === undefined ? 'sleep 600' : `printf "$TEXT"; exit ${String(exitCode)}`;
      return { command: ['sh', '-c', script], env: [{ name: 'TEXT', value: text }] };
    },
    restart: async () => connect(),
    remove: (uid) => jobs.delete({ uid, name: '', namespace: '' }, { ...call, gracePeriodSeconds: 0 }),
    async disconnect() {
      const reconnect = service.cut();
      return async () => reconnect();
    },
  };
}

/** A service that answers every request in the same way. */
async function scriptedService(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe('the provider of a job service', { timeout: 30_000 }, () => {
  it.each(podProviderContract({ remove: true, disconnect: true, logs: true }).map((one) => [one.name, one] as const))(
    '%s',
    async (_name, { check }) => check(await createSubject()),
  );

  it.each([
    [404, '<html>no such page</html>', 'Unavailable'],
    [404, '{"reason":"NotFound","message":"no such pod"}', 'NotFound'],
    [422, '{"reason":"Rejected","message":"no"}', 'Rejected'],
    [500, '{"reason":"Odd","message":"no"}', 'Unavailable'],
  ])('takes the answer %i %s for %s', async (status, body, reason) => {
    const provider = createHttpProvider({ clock: systemClock }, { url: await scriptedService(status, body) });
    const pod = { uid: '1', name: 'a', namespace: 'b' };
    await expect(provider.delete(pod, { ...call, gracePeriodSeconds: 1 })).rejects.toMatchObject({ reason });
  });

  it('loses the connection to a service that sends nothing', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const provider = createHttpProvider({ clock: systemClock }, { url, idleTimeoutMs: 100 });
    const iterator = provider.watch(call.signal)[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toThrow('the service has sent nothing for 0.1 s');
  });

  it('follows a log that is silent, and waits for a reader that is slow', async () => {
    const server = createServer((_request, response) => {
      response.write('first\n');
      systemClock.setTimer(400, () => void response.end('last\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const container = { pod: { uid: '1', name: 'a', namespace: 'b' }, container: 'main' };
    const read = async (idleTimeoutMs: number, follow: boolean, pauseMs: number): Promise<string> => {
      const provider = createHttpProvider({ clock: systemClock }, { url, idleTimeoutMs });
      let text = '';
      for await (const chunk of provider.logs!(container, { ...call, follow, previous: false, timestamps: false })) {
        text += Buffer.from(chunk).toString();
        await sleep(systemClock, pauseMs);
      }
      return text;
    };
    expect(await read(100, true, 0)).toBe('first\nlast\n');
    expect(await read(300, false, 1000)).toBe('first\nlast\n');
    await expect(read(100, false, 0)).rejects.toThrow('the service has sent nothing for 0.1 s');
  });

  it('rejects lines that are no change of a pod', async () => {
    const url = await scriptedService(200, '{"type":"snapshot","pods":[{"uid":"1"}]}\n');
    const provider = createHttpProvider({ clock: systemClock }, { url });
    const iterator = provider.watch(call.signal)[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toThrow('the service sent no change of a pod');
  });
});
