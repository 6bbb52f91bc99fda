import type { AgentModule } from '@rxlet/agent-api';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';

/** Traces of an agent. Disposing of it sends what is left; dispose of it after the agent. */
export interface Tracing extends AsyncDisposable {
  /** Makes spans of the agent's journal. */
  readonly module: AgentModule;
  /** Adds spans to requests over HTTP: those to the agent's server, and those of its client of the API server. */
  readonly http: HttpSpans;
  /** Adds spans to the calls of the runtime. */
  readonly calls: TracedCalls;
}

/** Adds spans to the calls of a runtime. */
export interface TracedCalls {
  runtime(service: RuntimeService): RuntimeService;
  images(service: ImageService): ImageService;
}

/** A request of a client over HTTP, such as that of the API server. */
export interface SentRequest {
  readonly method: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request to a server, for the module `kubeletApi` of `@rxlet/kubelet-server`. */
export interface ServedRequest {
  readonly method: string;
  readonly route: string;
}

/** Makes spans of requests over HTTP. Each is the root of a trace. */
export interface HttpSpans {
  /** Adds a span to each request to a server. */
  readonly server: {
    trace(request: ServedRequest, serve: () => Promise<void>, status: () => number): Promise<void>;
  };
  /** Adds a span to each request of a client, until the head of its answer is there: the answer of a watch lasts for minutes. The trace goes on in the headers of the W3C. */
  client<Q extends SentRequest, R extends { readonly status: number }>(
    send: (request: Q) => Promise<R>,
  ): (request: Q) => Promise<R>;
}
