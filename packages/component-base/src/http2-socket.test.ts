import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Http2Handler } from './grpc-server/grpc-server.ts';
import { serveHttp2OnUnixSocket } from './http2-socket.ts';
import { recordingLogger } from './recording-logger.ts';

describe('serveHttp2OnUnixSocket', () => {
  let folder: string;
  let socketPath: string;
  let sessions: ClientHttp2Session[] = [];
  const logger = recordingLogger();
  beforeEach(async () => {
    folder = await mkdtemp(`${tmpdir()}/http2-`);
    socketPath = `${folder}/a.sock`;
  });
  afterEach(async () => {
    for (const session of sessions) session.destroy();
    sessions = [];
    await rm(folder, { recursive: true });
  });

  function open(): ClientHttp2Session {
    const session = connectHttp2('http://localhost', { createConnection: () => connect(socketPath) });
    session.on('error', () => undefined);
    sessions.push(session);
    return session;
  }

  async function get(session: ClientHttp2Session): Promise<string> {
    let text = '';
    for await (const chunk of session.request({ ':path': '/' })) text += String(chunk);
    return text;
  }

  it('loads the handler once, with the first request', async () => {
    const handler: Http2Handler = (_request, response) => void response.end('hello');
    const load = vi.fn(() => Promise.resolve(handler));
    await using _server = await serveHttp2OnUnixSocket({ socketPath, mode: 0o660, load, logger });
    expect((await stat(socketPath)).mode & 0o777).toBe(0o660);
    expect(load).not.toHaveBeenCalled();
    const session = open();
    expect([await get(session), await get(session)]).toEqual(['hello', 'hello']);
    expect(load).toHaveBeenCalledOnce();
  });

  it('ends a request whose handler fails, and logs it', async () => {
    const load = (): Promise<Http2Handler> => Promise.reject(new Error('broken'));
    await using _server = await serveHttp2OnUnixSocket({ socketPath, load, logger });
    expect(await get(open()).catch(() => '')).toBe('');
    expect(logger.lines).toMatchObject([{ message: 'a request failed', fields: { error: 'broken' } }]);
  });

  it('reports a write that the departure of a client cancels as one to a destroyed stream', async () => {
    const failed = Promise.withResolvers<NodeJS.ErrnoException | null | undefined>();
    const load = (): Promise<Http2Handler> =>
      Promise.resolve((_request, response) => {
        response.write('x');
        // More than fits into the windows of HTTP/2.
        response.write(Buffer.alloc(1024 * 1024), failed.resolve);
      });
    await using _server = await serveHttp2OnUnixSocket({ socketPath, load, logger });
    const stream = open().request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.once('response', () => stream.close(constants.NGHTTP2_CANCEL));
    expect((await failed.promise)?.code).toBe('ERR_STREAM_DESTROYED');
  });

  it('removes the socket and closes connections on disposal', async () => {
    const load = (): Promise<Http2Handler> => Promise.resolve((_request, response) => void response.write('x'));
    const server = await serveHttp2OnUnixSocket({ socketPath, load, logger });
    const session = open();
    const closed = new Promise((resolve) => session.once('close', resolve));
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    await new Promise((resolve) => stream.once('response', resolve));
    await server[Symbol.asyncDispose]();
    await closed;
    expect(await readdir(folder)).toEqual([]);
  });
});
