import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import { systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { createTracing } from './create-tracing.ts';

const OPTIONS = { endpoint: 'localhost:1', samplingRatePerMillion: 0, nodeName: 'node1' };

it('rejects an endpoint that Node.js cannot reach', async () => {
  await expect(createTracing({ ...OPTIONS, endpoint: 'unix-abstract:collector' })).rejects.toThrow(
    'could not configure tracer provider: the endpoint "unix-abstract:collector" cannot be reached from Node.js',
  );
});

it('names the packages to install where the SDK of OpenTelemetry is missing, and can be imported there', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        if (!specifier.startsWith('@opentelemetry/')) return next(specifier, context);
        throw Object.assign(new Error('Cannot find package ' + specifier), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
    const { createTracing, TracingUnavailableError } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)});
    await createTracing(${JSON.stringify(OPTIONS)}).catch((error) => {
      console.log(JSON.stringify([error instanceof TracingUnavailableError, error.message, error.cause.code]));
    });`;
  const args = ['--conditions=@rxlet/source', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual([
    true,
    'cannot load the SDK of OpenTelemetry: install it with "npm install @opentelemetry/api @opentelemetry/otlp-transformer @opentelemetry/resources @opentelemetry/sdk-trace", or configure no tracing',
    'ERR_MODULE_NOT_FOUND',
  ]);
});

it('leaves no connection to a collector that answers no request', async () => {
  const server = createServer();
  const connected = once(server, 'connection') as Promise<[Socket]>;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const clock = createVirtualClock({ startMs: systemClock.now() });
  const { port } = server.address() as AddressInfo;
  const options = { endpoint: `127.0.0.1:${String(port)}`, samplingRatePerMillion: 1e6, nodeName: 'node1' };
  const tracing = await createTracing(options, { clock });
  await tracing.http.server.trace(
    { method: 'GET', route: '/pods' },
    () => Promise.resolve(),
    () => 200,
  );
  const disposed = tracing[Symbol.asyncDispose]();
  const [socket] = await connected;
  const closed = once(socket.resume(), 'close');
  await clock.advance(3000);
  await disposed;
  await closed;
  await promisify(server.close.bind(server))();
});
