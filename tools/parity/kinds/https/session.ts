import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import {
  createAccessControl,
  createTokenAuthenticator,
  createWebhookAuthorizer,
  type Identity,
  kubeletHealthChecks,
  kubeletRoutes,
} from '@rxlet/kubelet-server/routes';
import type { Answer } from '../../vector-kind.ts';
import { comparedHeaders, startLocalServer } from './local-server.ts';
import { recordedNode } from './node.ts';

/** Requests to one server, which remembers the API server's answers to its reviews. */
export interface SessionVector {
  readonly exchanges: readonly Exchange[];
  /** Recorded answers of the API server, each to the reviews whose specification has these fields. */
  readonly answers: readonly { readonly spec: object; readonly status: object }[];
}

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Owner of a valid certificate of the client. Absent: it has none, or one that is not valid. */
  readonly certificate?: { readonly name: string; readonly groups: readonly string[] };
  readonly want: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Reviews of this request. Absent: the recording does not have them. */
    readonly reviews?: readonly object[];
  };
}

/** As in the recorded configuration. */
const TOKEN_TTL_MS = 120_000;
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;

/** Runs a session, one request after the other. */
export async function runSession({ exchanges, answers }: SessionVector): Promise<Answer> {
  let reviews: object[] = [];
  let owner: Identity | undefined;
  const review = async <T>(kind: string, spec: object): Promise<T> => {
    reviews.push({ kind, spec });
    const answer = answers.find(({ spec: fields }) => hasFields(spec, fields));
    if (answer === undefined) throw new Error(`no recorded answer to ${JSON.stringify(spec)}`);
    return answer.status as T;
  };
  const clock = createVirtualClock();
  const ports = recordedNode();
  const access = createAccessControl(
    {
      certificateOwner: (_message: IncomingMessage) => owner,
      tokens: createTokenAuthenticator(
        { review: (token) => review('TokenReview', { token }), clock, random: seededRandom(1) },
        TOKEN_TTL_MS,
      ),
      authorizer: createWebhookAuthorizer(
        { review: (spec) => review('SubjectAccessReview', spec), clock },
        {
          nodeName: 'node1',
          cacheAuthorizedTtlMs: AUTHORIZED_TTL_MS,
          cacheUnauthorizedTtlMs: UNAUTHORIZED_TTL_MS,
        },
      ),
      clock,
      logger: noopLogger,
    },
    { anonymous: false, isFineGrained: true, permitsStreamsByGet: true },
  );
  const routes = kubeletRoutes({ ...ports, flags: () => ({}) }, kubeletHealthChecks(ports.healthChecks));
  await using server = await startLocalServer({ routes, access });
  const got: object[] = [];
  for (const { certificate, want, ...exchange } of exchanges) {
    owner = certificate && { ...certificate, extra: {} };
    reviews = [];
    const { status, headers, body } = await server.send(exchange);
    got.push({
      status,
      headers: comparedHeaders(headers),
      ...(want.body !== undefined && { body }),
      ...(want.reviews !== undefined && { reviews }),
    });
  }
  return { got, want: exchanges.map(({ want }) => want) };
}

function hasFields(spec: object, fields: object): boolean {
  return Object.entries(fields).every(([name, value]) =>
    isDeepStrictEqual((spec as Readonly<Record<string, unknown>>)[name], value),
  );
}
