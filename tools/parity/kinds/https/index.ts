import { noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import {
  type AccessControl,
  createAccessControl,
  createTokenAuthenticator,
  createWebhookAuthorizer,
  healthRoutes,
  kubeletHealthChecks,
  kubeletRoutes,
  readOnlyRoutes,
} from '@rxlet/kubelet-server/routes';
import { seededRandom } from '@rxlet/component-base';
import type { Answer } from '../../vector-kind.ts';
import { comparedHeaders, startLocalServer } from './local-server.ts';
import { LAST_LINE_MS, recordedNode } from './node.ts';
import { runSession, type SessionVector } from './session.ts';

interface HttpsVector {
  readonly method: string;
  readonly path: string;
  readonly server: 'main' | 'readonly' | 'healthz';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly flags?: Readonly<Record<string, string>>;
  /** Name of the client, who has no permission; empty for one who is unknown. Absent: everything is permitted. */
  readonly user?: string;
  readonly want: HttpAnswer;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Questions to the API server. */
  readonly reviews?: readonly unknown[];
}

/** A request to a server of the recorded node, or a session of them. */
export async function run(vector: HttpsVector | SessionVector): Promise<Answer> {
  return 'exchanges' in vector ? runSession(vector) : runRequest(vector);
}

async function runRequest(vector: HttpsVector): Promise<Answer> {
  const reviews: unknown[] = [];
  const answer = await sendRequest(vector, reviews);
  const { want } = vector;
  const headers = comparedHeaders(answer.headers);
  const isSar = want.reviews !== undefined;
  return {
    got: {
      status: answer.status,
      headers: isSar ? {} : headers,
      ...(want.body !== undefined && { body: normalize(answer.body, want.body) }),
      ...(isSar && { reviews }),
    },
    want: {
      ...want,
      headers: isSar ? {} : omit(want.headers, 'last-modified'),
      ...(want.body !== undefined && { body: normalize(want.body, want.body) }),
    },
  };
}

async function sendRequest(vector: HttpsVector, reviews: unknown[]) {
  const { memory, ...ports } = recordedNode();
  const { flags, want } = vector;
  for (const path of listedPaths(vector.path, want.body)) memory.put(path, '');
  const checks = kubeletHealthChecks(ports.healthChecks);
  const routes = kubeletRoutes({ ...ports, flags: () => flags ?? {} }, checks);
  await using server = await startLocalServer({
    routes: {
      main: routes,
      readonly: readOnlyRoutes(routes),
      healthz: healthRoutes(checks.filter(({ name }) => name === 'ping')),
    }[vector.server],
    access: accessOf(vector.user, reviews),
  });
  return await server.send({ ...vector, path: pathOf(vector.path) });
}

function accessOf(user: string | undefined, reviews: unknown[]): AccessControl | undefined {
  if (user === undefined) return undefined;
  const clock = createVirtualClock();
  const options = { nodeName: 'node1', cacheAuthorizedTtlMs: 0, cacheUnauthorizedTtlMs: 0 };
  const review = (spec: { resourceAttributes?: unknown }) => {
    reviews.push(spec.resourceAttributes);
    return Promise.resolve({ allowed: false });
  };
  return createAccessControl(
    {
      certificateOwner: () => (user === '' ? undefined : { name: user, groups: [], extra: {} }),
      tokens: createTokenAuthenticator(
        { review: () => Promise.resolve({ error: 'invalid bearer token' }), clock, random: seededRandom(1) },
        0,
      ),
      authorizer: createWebhookAuthorizer({ review, clock }, options),
      clock,
      logger: noopLogger,
    },
    { anonymous: false, isFineGrained: true, permitsStreamsByGet: true },
  );
}

/** Times of recorded queries, which stand for times before and after lines of the log. */
function pathOf(path: string): string {
  const before = new Date(LAST_LINE_MS - 11_000).toISOString();
  const after = new Date(LAST_LINE_MS + 60_000).toISOString();
  return path.replace('<time-3>', before).replace(/<time-\d+>/, after);
}

/** Entries of a recorded listing. */
function listedPaths(path: string, body = ''): readonly string[] {
  if (!path.startsWith('/logs/')) return [];
  const folder = path.slice('/logs'.length).replace(/\?.*/, '');
  return [...body.matchAll(/<a href="[^"]*">([^<]*(?:<\w+-\d+>[^<]*)*)<\/a>/g)].map(([, name = '']) => {
    const entry = name.replaceAll(/[<>]/g, '');
    return `/var/log${folder}${entry.endsWith('/') ? `${entry}0.log` : entry}`;
  });
}

/** Replaces times and ids, and what a listing has instead of them. */
function normalize(text: string, want: string): string {
  const plain = text
    .replaceAll(/<time-\d+>/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/containerd:\/\/[\w<>-]+/g, 'containerd://<id>');
  return want.startsWith('<!doctype') ? plain.replaceAll(/<((?:uid|id)-\d+)>/g, '$1') : plain;
}

function omit(headers: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}
