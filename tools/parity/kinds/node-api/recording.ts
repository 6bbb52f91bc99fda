import type { KubeObject } from '@rxlet/kube-api/client';

/** Sender of a request: a user by a certificate, a node by its bootstrap token, or one without credentials. */
export type RequestClient = 'bearer' | 'none' | (string & {});

/** A request to the API server. */
export interface ApiRequest {
  /** Seconds since the begin of the phase. */
  readonly t: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status?: number | undefined;
  readonly body?: unknown;
  /** In recordings of a node that gets its certificate. */
  readonly client?: RequestClient | undefined;
  /** In a recording of headers: by lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An object that others than the node agent have created, at the time at which the agent saw it. */
export type RecordedObject = KubeObject & { readonly t: number };

/** Requests that a kubelet sent to an API server during one phase of its life. */
export interface Recording {
  readonly name: string;
  readonly title: string;
  /** Actions of the operator. */
  readonly marks: readonly { readonly t: number; readonly mark: string }[];
  readonly objects: readonly RecordedObject[];
  readonly requests: readonly ApiRequest[];
  /** Files that the node has at the end of the phase: modes, and targets of links. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}
