import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as SocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  InfoResponseSchema,
  ListContentResponseSchema,
  ListStatusesResponseSchema,
  ReadContentResponseSchema,
} from '../../gen/containerd/content/v1/content_pb.js';
import { ContentStoreUnsupported, openContentStore } from './content-store.ts';

const SERVICE = 'containerd.services.content.v1.Content';
const never = new AbortController().signal;

describe('openContentStore', () => {
  let folder: string;
  let socketPath: string;
  let server: Server;
  const namespaces: unknown[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-content-'));
    socketPath = join(folder, 'containerd.sock');
    server = new Server();
  });
  afterEach(async () => {
    server.forceShutdown();
    await rm(folder, { recursive: true, force: true });
  });

  /** Serves methods with fixed messages; a list of messages is a stream. */
  const serve = async (methods: Record<string, Uint8Array | Iterable<Uint8Array>>): Promise<void> => {
    const bytes = (message: Buffer): Buffer => message;
    for (const [name, answer] of Object.entries(methods)) {
      const isStream = !(answer instanceof Uint8Array);
      const definition = {
        path: `/${SERVICE}/${name}`,
        requestStream: false,
        responseStream: isStream,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes,
      };
      const seen = (metadata: Metadata): void => void namespaces.push(...metadata.get('containerd-namespace'));
      const unary = (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>): void => {
        seen(call.metadata);
        done(null, Buffer.from(answer as Uint8Array));
      };
      const stream = (call: ServerWritableStream<Buffer, Buffer>): void => {
        for (const message of answer as Iterable<Uint8Array>) call.write(Buffer.from(message));
        call.end();
      };
      server.addService({ [name]: definition }, { [name]: isStream ? stream : unary });
    }
    await new Promise((resolve) => {
      server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), resolve);
    });
  };
  const open = () => openContentStore(socketPath, 'k8s.io');

  it('reads what is written, and nothing but layers and configurations', async () => {
    const statuses = [
      { ref: 'layer-sha256:1', offset: 5n, total: 10n },
      { ref: 'config-sha256:2', offset: 6n },
      { ref: 'manifest-sha256:3', offset: 7n },
      { ref: 'upload', offset: 8n },
    ];
    await serve({
      ListStatuses: toBinary(ListStatusesResponseSchema, create(ListStatusesResponseSchema, { statuses })),
      Info: toBinary(InfoResponseSchema, create(InfoResponseSchema, { info: { updatedAt: { seconds: 7n } } })),
    });
    using store = open();
    expect(await store.written(never)).toEqual(
      new Map([
        ['sha256:1', 5],
        ['sha256:2', 6],
      ]),
    );
    expect(await store.labelledMs('sha256:1', never)).toBe(7000);
    expect(namespaces).toEqual(['k8s.io', 'k8s.io']);
  });

  it('rejects content and lists that are too large', async () => {
    const chunk = toBinary(
      ReadContentResponseSchema,
      create(ReadContentResponseSchema, { data: new Uint8Array(1 << 20) }),
    );
    const infos = create(ListContentResponseSchema, { info: Array.from({ length: 3000 }, () => ({ digest: 'd' })) });
    await serve({
      Read: Array.from({ length: 5 }, () => chunk),
      List: Array.from({ length: 4 }, () => toBinary(ListContentResponseSchema, infos)),
    });
    using store = open();
    await expect(store.read('sha256:1', never)).rejects.toThrow('content sha256:1 is too large');
    await expect(store.list(['digest==sha256:1'], never)).rejects.toThrow('too much content is listed');
  });

  it('throws ContentStoreUnsupported without such a service', async () => {
    await serve({ Nothing: new Uint8Array() });
    using store = open();
    const error: unknown = await store.written(never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ContentStoreUnsupported);
    expect(error).toMatchObject({ reason: 'Unsupported' });
  });

  it('ends a call and closes its socket when the peer never answers', async () => {
    const accepted = Promise.withResolvers<Socket>();
    const hung: SocketServer = createServer((socket) => accepted.resolve(socket.resume()));
    await new Promise<void>((resolve) => hung.listen(socketPath, resolve));
    const controller = new AbortController();
    const store = open();
    const written = expect(store.written(controller.signal)).rejects.toThrow();
    const socket = await accepted.promise;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    controller.abort();
    await written;
    store[Symbol.dispose]();
    await closed;
    hung.close();
  });
});
