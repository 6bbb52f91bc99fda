import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BadStreamRequestError, parseCommandOptions, parseForwardedPorts, proxyStream } from './proxy/index.ts';
import { createStreamingServer, type StreamingServer } from './streaming-server.ts';
import { openRawClient, type RawClient } from './test-support/raw-client.ts';
import { recordedCommand, recordedDial, streamNames } from './test-support/recorded-runtime.ts';
import {
  readRecordedStreams,
  type RecordedFrame,
  type RecordedStep,
  type RecordedStream,
} from './test-support/recorded-streams.ts';

/** Answers that come from the kubelet's pods and containers or its routes, or from a request of the runtime: not from the streams. */
const OTHER_CASES =
  /missing|waiting|exited|not-running|^plain-(?:exec|attach|pf)-(?:get|post|delete|short)|attach-no-tty-param|exec-short/;
const cases = readRecordedStreams().filter((stream) => !OTHER_CASES.test(stream.case) || stream.frames !== undefined);

describe('streams of a kubelet', () => {
  let clock: VirtualClock;
  let stopped: AbortController;
  let runtime: StreamingServer;
  let kubelet: Server;
  let stray: Server;
  beforeEach(() => {
    clock = createVirtualClock();
    stopped = new AbortController();
    runtime = createStreamingServer({ clock, random: seededRandom(1) });
    // A streaming server of containerd 1.6 ends a port-forward without a protocol in this way.
    stray = createServer((_request, response) => response.end());
  });
  afterEach(async () => {
    stopped.abort();
    kubelet.close();
    stray.close();
    await runtime[Symbol.asyncDispose]();
    await expect.poll(() => clock.pendingTimers, { interval: 1 }).toBe(0);
  });

  const serve = async (stream: RecordedStream): Promise<number> => {
    kubelet = createServer();
    kubelet.on('upgrade', (message, connection, head) => {
      const [path = '', search = ''] = stream.request.path.split('?');
      const query = new URLSearchParams(
        search
          .split('&')
          .filter((pair) => !pair.includes(';'))
          .join('&'),
      );
      const kind = path.split('/')[1] as 'exec' | 'attach' | 'portForward';
      const open = async (): Promise<void> => {
        const request = { message, connection, head };
        const ports = { clock, signal: stopped.signal };
        if (kind === 'portForward') {
          const forwarded = parseForwardedPorts(query, message);
          const dial = recordedDial(stream);
          const url = await runtime.urlFor({ kind: 'portforward', pod: '<id-3>', ports: forwarded, dial });
          const isStray = stream.case === 'spdy-pf-noproto';
          if (isStray && !stray.listening) await once(stray.listen(0, '127.0.0.1'), 'listening');
          const strayUrl = isStray ? `http://127.0.0.1:${String((stray.address() as AddressInfo).port)}/` : url;
          await proxyStream(request, { kind: 'portforward', url: strayUrl }, ports);
          return;
        }
        const options = parseCommandOptions(query);
        const url = await runtime.urlFor({ kind, container: 'c1', ...options, run: recordedCommand(stream) });
        await proxyStream(request, { kind, url, options }, ports);
      };
      open().catch((error: unknown) => {
        if (!(error instanceof BadStreamRequestError)) throw error;
        const { message: body } = error;
        const head = ['Content-Type: text/plain; charset=utf-8', `Content-Length: ${String(body.length)}`];
        connection.end(`HTTP/1.1 400 Bad Request\r\n${head.join('\r\n')}\r\n\r\n${body}`);
      });
    });
    await once(kubelet.listen(0, '127.0.0.1'), 'listening');
    return (kubelet.address() as AddressInfo).port;
  };

  /** Plays the client's part. Each of its frames waits for what the kubelet had sent before. */
  const play = async (stream: RecordedStream, client: RawClient): Promise<void> => {
    const expected: RecordedStep[] = [];
    for (const step of stream.frames ?? []) {
      const sent = step['>'];
      if (sent !== undefined) {
        await client.until(() => hasArrived(expected, client.steps));
        await client.send(sent);
      } else if (step['open after'] === undefined) {
        expected.push(step);
      } else {
        await client.until(() => hasArrived(expected, client.steps));
        await clock.advance(step['open after'] * 1000);
        if (stream.case.startsWith('ws-pf-SPDY')) return;
        const isSpdy = stream.request.headers instanceof Array;
        await client.send(isSpdy ? { f: 'PING', id: 1 } : { op: 'ping', data: 'still open' });
        expected.push({ '<': isSpdy ? { f: '6', id: 1 } : { op: 'pong', data: 'still open' } });
      }
    }
    await client.until(() => hasArrived(expected, client.steps));
    expect(normalised(stream, client.steps)).toEqual(normalised(stream, expected));
  };

  it.each(cases.map((stream) => [stream.case, stream] as const))('%s', async (_name, stream) => {
    using client = await openRawClient(await serve(stream), stream);
    expect(client.status).toBe(stream.status);
    expect(Object.fromEntries(client.headers)).toMatchObject(stream.headers);
    if (stream.body !== undefined) expect(client.body()).toBe(stream.body);
    await play(stream, client);
    if (client.steps.some((step) => '<' in step)) expect(largestMessage(client.steps)).toBeLessThanOrEqual(32 * 1024);
  });
});

/** Reports whether all the frames and bytes of a list have been received. */
function hasArrived(expected: readonly RecordedStep[], received: readonly RecordedStep[]): boolean {
  const count = (steps: readonly RecordedStep[]): number => steps.filter((step) => dataOf(step) === undefined).length;
  const bytes = (steps: readonly RecordedStep[]): number =>
    steps.reduce((sum, step) => sum + (step['<']?.len ?? dataOf(step)?.length ?? 0), 0);
  return count(received) >= count(expected) && bytes(received) >= bytes(expected);
}

function dataOf(step: RecordedStep): string | undefined {
  const frame = step['<'];
  return frame === undefined || frame.op === 'ping' || frame.op === 'pong' || frame.flags === 1 || frame.data === ''
    ? undefined
    : frame.data;
}

function largestMessage(steps: readonly RecordedStep[]): number {
  return Math.max(...steps.map((step) => step['<']?.data?.length ?? 0));
}

/**
 * Returns a conversation without what is left to chance: where data is cut into frames, and the order of frames on different streams. WebSocket messages before the
 * status have an order for each channel.
 */
function normalised(stream: RecordedStream, steps: readonly RecordedStep[]): unknown {
  const nameOf = streamNames(stream);
  const lanes = new Map<string, unknown[]>();
  const laneOf = (frame: RecordedFrame | undefined): string =>
    frame?.f !== undefined && frame.id !== undefined
      ? String(frame.id)
      : frame?.ch === undefined
        ? ''
        : String(frame.ch);
  for (const step of steps) {
    const frame = step['<'];
    const lane = lanes.get(laneOf(frame)) ?? [];
    lanes.set(laneOf(frame), lane);
    const last = lane.at(-1) as { data?: string } | undefined;
    const data = dataOf(step);
    if (data === undefined) lane.push(frame ?? step);
    else if (last?.data !== undefined && last.data !== '') last.data += dataText(frame!);
    else lane.push({ op: frame!.op, ch: frame!.ch, id: frame!.id, stream: nameOf(frame!), data: dataText(frame!) });
  }
  return Object.fromEntries([...lanes].sort(([first], [second]) => (first < second ? -1 : 1)));
}

function dataText({ data = '', len }: RecordedFrame): string {
  return len === undefined ? data : 'x'.repeat(len);
}
