import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createLifetime, noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { createCertificateAuthority } from '@rxlet/fake-kube';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServerHandler, type ServerHandler } from '../server-handler.ts';
import { createSharedHttpsServer, type SharedHttpsServer, type SharedPort } from './shared-https-server.ts';

let server: SharedHttpsServer;
beforeEach(async () => {
  const authority = await createCertificateAuthority({ clock: systemClock, random: systemRandom });
  const pair = await authority.issue({ commonName: 'nodes', hosts: ['localhost'], usages: ['server auth'] });
  server = createSharedHttpsServer(
    { clock: systemClock, logger: noopLogger },
    {
      address: '127.0.0.1',
      certificate: createCurrentValue<TlsKeyPair | undefined>(pair),
      clientCaPem: authority.certificatePem,
    },
  );
});
afterEach(() => server[Symbol.asyncDispose]());

function answerWith(port: SharedPort, text: string): Disposable {
  return port.answer(() => handlerOf(port, text));
}

function handlerOf({ admit }: SharedPort, text: string): ServerHandler {
  const routes = [{ pattern: '/name', handle: () => ({ body: text }) }];
  return createServerHandler({ routes, logger: noopLogger, lifetime: createLifetime(), admit });
}

async function readName({ port }: SharedPort): Promise<string> {
  const sent = request({ host: '127.0.0.1', port, path: '/name', rejectUnauthorized: false, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  return body;
}

describe('a shared HTTPS server', () => {
  it('lets each agent answer on its port', async () => {
    const [one, two] = [await server.listen(0), await server.listen(0)];
    using _one = answerWith(one, 'node1');
    using _two = answerWith(two, 'node2');
    expect([await readName(one), await readName(two)]).toEqual(['node1', 'node2']);
  });

  it('creates a handler for the first request', async () => {
    const port = await server.listen(0);
    let created = 0;
    using _answering = port.answer(() => {
      created += 1;
      return handlerOf(port, 'node1');
    });
    expect(created).toBe(0);
    await readName(port);
    await readName(port);
    expect(created).toBe(1);
  });

  it('closes connections to a port whose agent has ended', async () => {
    const port = await server.listen(0);
    answerWith(port, 'node1')[Symbol.dispose]();
    await expect(readName(port)).rejects.toThrow(/ECONNRESET|socket/);
  });

  it('stops listening on all ports', async () => {
    const port = await server.listen(0);
    using _answering = answerWith(port, 'node1');
    await server[Symbol.asyncDispose]();
    await expect(readName(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('rejects authorities without a certificate', () => {
    const options = { address: '127.0.0.1', certificate: createCurrentValue(undefined), clientCaPem: 'none' };
    expect(() => createSharedHttpsServer({ clock: systemClock, logger: noopLogger }, options)).toThrow(
      'no certificate',
    );
  });
});
