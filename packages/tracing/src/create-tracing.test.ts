import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
