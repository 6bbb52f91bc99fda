import { type Clock, toRfc3339 } from '@rxlet/component-base';
import { jsonAnswer } from '../request/answer.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { HandlerRoute } from '../routing/route.ts';
import { errorLine } from '../request/answer.ts';

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const GROUP = 'config.k8s.io';
const VERSION = 'v1alpha1';

/** Content of `/statusz`. */
export interface StatusPage {
  /** When the process started, in epoch milliseconds. */
  readonly startTimeMs: number;
  readonly version: string;
  /** First segments of the paths that the server has. */
  readonly paths: () => readonly string[];
}

/** Returns the route `/flagz`: the flags of the command line with their values. */
export function flagzRoute(flags: () => Readonly<Record<string, string>>): HandlerRoute {
  return {
    pattern: '/flagz',
    handle: (request) =>
      structured(request, 'Flagz', () => ({ flags: flags() })) ??
      page(
        'flagz',
        Object.entries(flags())
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, value]) => `${name}=${value}`),
      ),
  };
}

/** Returns the route `/statusz`: version, age and paths of the process. */
export function statuszRoute(clock: Clock, { startTimeMs, version, paths }: StatusPage): HandlerRoute {
  const upSeconds = (): number => Math.max(0, Math.floor((clock.now() - startTimeMs) / 1000));
  return {
    pattern: '/statusz',
    handle: (request) =>
      structured(request, 'Statusz', () => ({
        startTime: toRfc3339(startTimeMs),
        uptimeSeconds: upSeconds(),
        goVersion: `node ${process.version}`,
        binaryVersion: version,
        emulationVersion: version,
        paths: paths(),
      })) ??
      page('statusz', [
        `Started= ${formatUnixDate(startTimeMs)}`,
        `Up= ${formatUptime(upSeconds())}`,
        `Node version= ${process.version}`,
        `Binary version= ${version}`,
        `Emulation version= ${version}`,
        `Paths= ${paths().join(' ')}`,
      ]),
  };
}

/** Returns the answer for a client that accepts the structured form; `undefined` for one that gets the text. */
function structured({ headers }: ApiRequest, kind: string, content: () => object) {
  const accepted = (headers['accept'] as string | undefined)?.split(',').map((part) => part.trim()) ?? [];
  if (accepted.length === 0 || accepted.some((type) => /^(?:\*\/\*|text\/\*|text\/plain|)(?:;|$)/.test(type)))
    return undefined;
  const wanted = accepted.find((type) => isStructured(type, kind));
  if (wanted === undefined)
    return errorLine(
      406,
      'only the following media types are accepted: application/json;g=config.k8s.io;v=v1alpha1;as=' +
        kind +
        ', text/plain',
    );
  const document = { kind, apiVersion: `${GROUP}/${VERSION}`, metadata: { name: 'kubelet' }, ...content() };
  const warning = `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`;
  return {
    ...jsonAnswer(document),
    contentType: `application/json;g=${GROUP};v=${VERSION};as=${kind}`,
    headers: { warning },
  };
}

function isStructured(type: string, kind: string): boolean {
  const [name = '', ...parameters] = type.split(';').map((part) => part.trim());
  const wanted = [`g=${GROUP}`, `v=${VERSION}`, `as=${kind}`];
  return name === 'application/json' && wanted.every((parameter) => parameters.includes(parameter));
}

const page = (name: string, lines: readonly string[]) => ({
  body: `\nkubelet ${name}\n${WARNING}\n${lines.join('\n')}\n`,
});

/** Formats a time as the `date` command does: `Sun Nov 22 05:25:08 UTC 2026`. */
function formatUnixDate(timeMs: number): string {
  const [, weekday, day, month, year, time] = /^(\w+), 0?(\d+) (\w+) (\d+) ([\d:]+)/.exec(
    new Date(timeMs).toUTCString(),
  )!;
  return `${weekday!} ${month!} ${day!.padStart(2)} ${time!} UTC ${year!}`;
}

function formatUptime(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(Math.floor(seconds / 3600))} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
