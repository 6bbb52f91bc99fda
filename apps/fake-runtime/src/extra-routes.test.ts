import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { ImageServiceDescriptor, RuntimeServiceDescriptor, StatusCode } from '@rxlet/cri-api';
import { FakeControlDescriptor, ServerReflectionDescriptor } from '@rxlet/fake-cri/control';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';

let folder: string;
let ended: Promise<number>;
const stop = new AbortController();
const transport = createGrpcTransport({
  baseUrl: 'http://localhost',
  nodeOptions: { createConnection: () => connect(join(folder, 'fake.sock')) },
});
const control = createClient(FakeControlDescriptor, transport);
const runtime = createClient(RuntimeServiceDescriptor, transport);
const reflection = createClient(ServerReflectionDescriptor, transport);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fake-'));
  const listening = Promise.withResolvers<void>();
  ended = run(['--listen', join(folder, 'fake.sock'), '--virtual-clock'], {
    stdout: () => listening.resolve(),
    stderr: () => undefined,
    signal: stop.signal,
  });
  await listening.promise;
});
afterAll(async () => {
  stop.abort();
  await ended;
  rmSync(folder, { recursive: true });
});

type MessageRequest = NonNullable<
  Parameters<typeof reflection.serverReflectionInfo>[0] extends AsyncIterable<infer R> ? R : never
>;

/** Sends requests on one stream and returns the contents of the responses. */
async function reflect(...messageRequests: MessageRequest['messageRequest'][]) {
  const responses = [];
  // The stream is half-closed when its responses have come.
  async function* requests(): AsyncGenerator<MessageRequest> {
    for (const messageRequest of messageRequests) yield { messageRequest };
  }
  for await (const { messageResponse } of reflection.serverReflectionInfo(requests())) responses.push(messageResponse);
  return responses;
}

describe('reflection', () => {
  it('lists the services', async () => {
    const [services] = await reflect({ case: 'listServices', value: '*' });
    expect(services?.value).toMatchObject({
      service: [
        'runtime.v1.RuntimeService',
        'runtime.v1.ImageService',
        'runtime.v1alpha2.RuntimeService',
        'runtime.v1alpha2.ImageService',
        'rxlet.fake.v1.FakeControl',
        'grpc.health.v1.Health',
      ].map((name) => ({ name })),
    });
  });

  it('describes the file of a service, a method or a message, and reports others as unknown', async () => {
    const symbols = [
      'runtime.v1.RuntimeService',
      'runtime.v1.RuntimeService.Version',
      'runtime.v1.VersionRequest',
      'rxlet.fake.v1.SnapshotResponse.Sandbox',
      'no.such.Service',
    ];
    const responses = await reflect(
      ...symbols.map((value) => ({ case: 'fileContainingSymbol' as const, value })),
      { case: 'fileByFilename', value: 'rxlet/fake/v1/control.proto' },
      { case: 'allExtensionNumbersOfType', value: 'runtime.v1.VersionRequest' },
    );
    const answers = responses.map((response) =>
      response.case === 'fileDescriptorResponse'
        ? fromBinary(FileDescriptorProtoSchema, response.value.fileDescriptorProto[0]!).name
        : response.case === 'errorResponse' && response.value.errorCode,
    );
    expect(answers).toEqual([
      'runtime/v1/api.proto',
      'runtime/v1/api.proto',
      'runtime/v1/api.proto',
      'rxlet/fake/v1/control.proto',
      StatusCode.NotFound,
      'rxlet/fake/v1/control.proto',
      StatusCode.NotFound,
    ]);
  });
});

describe('the control service', () => {
  it('advances the clock of a runtime with --virtual-clock', async () => {
    const before = await runtime.listMetricDescriptors({}).then(() => control.advanceClock({ milliseconds: 0n }));
    const after = await control.advanceClock({ milliseconds: 3_600_000n });
    expect(after.now - before.now).toBe(3_600_000_000_000n);
    await expect(control.advanceClock({ milliseconds: -1n })).rejects.toMatchObject({
      code: StatusCode.InvalidArgument,
    });
  });

  it('lists calls that came over the socket', async () => {
    await runtime.version({});
    const { calls } = await control.listCalls({ rpc: 'Version' });
    expect(calls.at(-1)).toMatchObject({ rpc: 'Version', code: 0, pending: false });
  });
});

describe('the sandbox root', () => {
  it('is the directory of the socket by default: a log outside of it fails the start of its container, and the error names the flag', async () => {
    const run = async (logDirectory: string): Promise<unknown> => {
      await control.publishImage({ image: 'tags: [busybox]' });
      const { pullImage } = createClient(ImageServiceDescriptor, transport);
      await pullImage({ image: { image: 'busybox' } });
      const metadata = { name: logDirectory, namespace: 'default', uid: '1', attempt: 0 };
      const { podSandboxId } = await runtime.runPodSandbox({ config: { metadata, logDirectory } });
      const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox' }, logPath: 'main.log' };
      const { containerId } = await runtime.createContainer({ podSandboxId, config });
      return runtime.startContainer({ containerId });
    };
    await run(join(folder, 'logs'));
    await expect(run(join(tmpdir(), 'elsewhere'))).rejects.toThrow(
      `is outside of the sandbox root ${folder}, /var/log/pods, /var/lib/kubelet (--sandbox-root of fake-runtime)`,
    );
  });
});
