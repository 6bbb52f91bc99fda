import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import type { ListMeta, ObjectMeta } from '@rxlet/kube-api';
import { admin, type User } from './auth/user.ts';
import { createFakeKube } from './create-fake-kube.ts';
import type { FakeKube, FakeKubeOptions } from './fake-kube.ts';

/** A server on virtual time, with requests in short. */
export interface TestServer extends AsyncDisposable {
  readonly kube: FakeKube;
  readonly clock: VirtualClock;
  /** Sends a request and returns status and JSON of the answer. */
  request(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly user?: User; readonly type?: string; readonly token?: string },
  ): Promise<Answer>;
  /** Opens a watch whose lines are collected. */
  watch(path: string): Promise<WatchedLines>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: AnswerBody;
}

/** The parts of answers that tests look into. */
export interface AnswerBody {
  readonly code?: number;
  readonly message?: string;
  readonly metadata: ListMeta & ObjectMeta;
  readonly items: readonly { readonly metadata: ObjectMeta; readonly data?: unknown }[];
  readonly resources: readonly { readonly name: string }[];
  readonly status?: { readonly phase?: string; readonly certificate?: string };
  readonly data?: unknown;
}

export interface WatchedLines {
  /** Type and name, or version for bookmarks. */
  readonly lines: readonly string[];
  readonly isEnded: boolean;
}

export function createTestServer(options: FakeKubeOptions = {}): TestServer {
  const clock = createVirtualClock();
  const kube = createFakeKube({ clock, random: seededRandom(1) }, options);
  return {
    kube,
    clock,
    async request(method, path, body, { user = admin, type = 'application/json', token } = {}) {
      const headers = { 'content-type': type, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      const text = body === undefined ? undefined : JSON.stringify(body);
      const answer = await kube.handle({ method, path, headers, body: text, ...(token === undefined && { user }) });
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      const content = Buffer.concat(chunks).toString();
      const isJson = answer.headers['content-type'] === 'application/json';
      return {
        status: answer.status,
        headers: answer.headers,
        json: (isJson ? JSON.parse(content) : { message: content }) as AnswerBody,
      };
    },
    async watch(path) {
      const { body } = await kube.handle({ method: 'GET', path, headers: {}, user: admin });
      const watched = { lines: [] as string[], isEnded: false };
      const read = async (): Promise<void> => {
        for await (const chunk of body) {
          const { type, object } = JSON.parse(Buffer.from(chunk).toString()) as {
            type: string;
            object: { reason?: string; metadata: { name?: string; resourceVersion?: string; annotations?: object } };
          };
          const end = object.metadata.annotations === undefined || type !== 'BOOKMARK' ? '' : ' end';
          watched.lines.push(
            `${type} ${object.reason ?? object.metadata.name ?? `${object.metadata.resourceVersion ?? ''}${end}`}`,
          );
        }
      };
      read().then(
        () => (watched.isEnded = true),
        () => (watched.isEnded = true),
      );
      return watched;
    },
    [Symbol.asyncDispose]: () => kube[Symbol.asyncDispose](),
  };
}

/** A pod with one container. */
export const podNamed = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'c', image: 'busybox:1' }], ...spec },
});
