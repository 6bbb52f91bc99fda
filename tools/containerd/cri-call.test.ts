import { mkdtempSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RuntimeServiceDescriptor, VersionRequestSchema, VersionResponseSchema } from '@rxlet/cri-api';
import { afterAll, afterEach, expect, it } from 'vitest';
import { criCall, CriCallError } from './cri-call.ts';

const { version } = RuntimeServiceDescriptor.method;
const folder = mkdtempSync(join(tmpdir(), 'rxlet-'));
const socket = join(folder, 'server.sock');
let server: http2.Http2Server | undefined;

afterEach(
  () => new Promise<void>((resolve) => (server === undefined ? resolve() : void server.close(() => resolve()))),
);
afterAll(() => rmSync(folder, { recursive: true }));

async function serve(handle: (stream: http2.ServerHttp2Stream, path: string, body: Buffer) => void): Promise<void> {
  server = http2.createServer();
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => handle(stream, String(headers[':path']), Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
}

it('sends the request and reads the answer with its trailers', async () => {
  await serve((stream, path, body) => {
    const request = fromBinary(VersionRequestSchema, body.subarray(5));
    const message = toBinary(
      VersionResponseSchema,
      create(VersionResponseSchema, { runtimeName: path, version: request.version }),
    );
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([prefix, message]));
  });
  const answer = await criCall(socket, version, { version: '0.1.0' }, 5_000);
  expect(answer.runtimeName).toBe('/runtime.v1.RuntimeService/Version');
  expect(answer.version).toBe('0.1.0');
});

it('rejects with the status of an error', async () => {
  await serve((stream) =>
    stream.respond(
      { 'content-type': 'application/grpc', 'grpc-status': '12', 'grpc-message': 'unknown service %22x%22' },
      { endStream: true },
    ),
  );
  const call = criCall(socket, version, {}, 5_000);
  await expect(call).rejects.toThrow('Version: unknown service "x" (gRPC status 12)');
  await expect(call).rejects.toBeInstanceOf(CriCallError);
});

it('reports that a server does not speak gRPC', async () => {
  await serve((stream) => stream.respond({ ':status': 404 }, { endStream: true }));
  await expect(criCall(socket, version, {}, 5_000)).rejects.toThrow('no gRPC answer, HTTP status 404');
});

it('rejects when there is no socket, and after the deadline', async () => {
  await expect(criCall(join(folder, 'absent.sock'), version, {}, 5_000)).rejects.toThrow('ENOENT');
  await serve(() => undefined);
  await expect(criCall(socket, version, {}, 30)).rejects.toThrow('no answer within 30 ms');
});
