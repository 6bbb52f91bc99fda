import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentConnectionError, connectToAgent } from './agent-connection.ts';
import { collect } from './test-support.ts';

describe('connectToAgent', () => {
  let folder: string;
  let server: Server | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-'));
  });
  afterEach(async () => {
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const path = (): string => join(folder, 'rxlet.sock');
  /** Answers every request with these bytes. */
  const answerWith = (text: string, andThen: 'end' | 'destroy' | 'wait' = 'end'): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.write(text, () => {
            if (andThen !== 'wait') socket[andThen]();
          }),
        );
      }).listen(path(), resolve);
    });
  const errorOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AgentConnectionError);
    return (error as AgentConnectionError).message;
  };
  const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

  it('reports that no agent answers', async () => {
    const expected = `no agent answers at ${path()}: is rxlet running, and is --root-dir (or RXLET_ROOT) the folder it runs with?`;
    expect(await errorOf(connectToAgent(path()).getJson('/pods'))).toBe(expected);
    await writeFile(path(), 'not a socket');
    expect(await errorOf(connectToAgent(path()).getJson('/pods'))).toBe(expected);
    expect(await errorOf(connectToAgent(join(path(), 'below')).getJson('/pods'))).toContain('no agent answers');
  });

  it('reports that another server answers', async () => {
    await answerWith('SSH-2.0-OpenSSH\r\n');
    expect(await errorOf(connectToAgent(path()).getJson('/pods'))).toBe(
      `what answers at ${path()} is not rxlet: is --root-dir the folder it runs with?`,
    );
  });

  it('reports an answer that is not JSON', async () => {
    await answerWith(`${HEAD}${chunk('<html>')}0\r\n\r\n`);
    expect(await errorOf(connectToAgent(path()).getJson('/pods'))).toContain('is not rxlet');
  });

  it('reports that the agent went away', async () => {
    await answerWith(`${HEAD}${chunk('{"items"')}`, 'destroy');
    const expected = `the agent at ${path()} went away before its answer was complete`;
    const connection = connectToAgent(path());
    expect(await errorOf(connection.getJson('/pods'))).toBe(expected);
    expect(await errorOf(collect(connection.stream('/containerLogs')))).toBe(expected);
    expect(await errorOf(collect(connection.streamJson('/pods')))).toBe(expected);
  });

  it('passes on the error message of the agent', async () => {
    await answerWith('HTTP/1.1 404 Not Found\r\ncontent-length: 7\r\n\r\nno pod\n');
    expect(await errorOf(connectToAgent(path()).getJson('/pods'))).toBe('no pod');
    expect(await errorOf(collect(connectToAgent(path()).stream('/pods')))).toBe('no pod');
  });

  it('describes an error answer without a body', async () => {
    await answerWith('HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n');
    expect(await errorOf(connectToAgent(path()).getJson('/pods'))).toBe('the agent answers /pods with status 503');
  });

  it('ends streams without an error when interrupted, and rejects whole answers', async () => {
    await answerWith(`${HEAD}${chunk('1\n2\n')}`, 'wait');
    const connection = connectToAgent(path());
    const controller = new AbortController();
    const seen: unknown[] = [];
    for await (const value of connection.streamJson('/pods?watch', controller.signal)) {
      seen.push(value);
      if (value === 2) controller.abort();
    }
    expect(seen).toEqual([1, 2]);
    expect(await collect(connection.stream('/pods', AbortSignal.abort()))).toEqual([]);
    expect(await errorOf(connection.getJson('/pods', AbortSignal.abort()))).toBe('interrupted');
  });

  it('closes the connection when the caller stops reading', async () => {
    await answerWith(`${HEAD}${chunk('1\n')}`, 'wait');
    const closed = new Promise((resolve) => server?.once('connection', (socket) => socket.once('close', resolve)));
    for await (const value of connectToAgent(path()).streamJson('/pods?watch')) {
      expect(value).toBe(1);
      break;
    }
    await closed;
  });
});
