import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { EndpointError, type EndpointResponse } from '@rxlet/agent-api/http';
import { errorMessage, type Lifetime, type Logger } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import type { AccessControl } from './access/access-control.ts';
import type { ForeignPageCheck } from './access/foreign-pages.ts';
import type { RequestMeter } from './listeners/request-meter.ts';
import type { RequestTracer } from './listeners/request-tracer.ts';
import { errorLine, sendAnswer } from './request/answer.ts';
import type { ApiRequest, UpgradeConnection } from './request/api-request.ts';
import { receiveBody } from './request/request-body.ts';
import { parseTarget, type RequestTarget } from './request/request-target.ts';
import type { Operation, Route } from './routing/route.ts';
import { createRouter } from './routing/router.ts';
import { redirectAnswer } from './routing/redirect.ts';
import { selectOperation } from './routing/select-operation.ts';

/** Longest head of a request, as in the kubelet. The target of an exec request contains the command. */
export const MAX_HEADER_BYTES: number = 1024 * 1024;

const SWITCHING_PROTOCOLS = 101;

const TOO_MANY_REQUESTS = errorLine(503, 'too many requests are being served: retry later', {
  connection: 'close',
  'retry-after': '1',
});

/** Ports of {@link createServerHandler}. */
export interface ServerHandlerPorts {
  readonly routes: readonly Route[];
  /** Absent: the listener lets in only those who may do everything. */
  readonly access?: AccessControl | undefined;
  /** Rejects requests of pages of other origins, which browsers send with their user's credentials. Absent: the server has no page. */
  readonly checkPage?: ForeignPageCheck | undefined;
  /** Measures the requests. Absent: they are not measured. */
  readonly meter?: RequestMeter | undefined;
  /** Traces the requests. Absent: they are not traced. */
  readonly tracer?: RequestTracer | undefined;
  readonly logger: Logger;
  /** Tracks the requests, and ends those that are being answered. */
  readonly lifetime: Lifetime;
  /** Admits a request until the returned function is called; `undefined` for one too many. Default: all are admitted. */
  readonly admit?: (socket: Socket) => (() => void) | undefined;
}

/** Answers the requests of one HTTP server. */
export interface ServerHandler {
  /** Options of the HTTP server. */
  readonly options: Pick<ServerOptions, 'shouldUpgradeCallback' | 'maxHeaderSize'>;
  /** Reports whether a request for an upgrade is answered by one. */
  hasStreams(message: IncomingMessage): boolean;
  onRequest(message: IncomingMessage, response: ServerResponse): void;
  onUpgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Creates a {@link ServerHandler}: it finds the route, checks the client's permission, and sends what the route answers. */
export function createServerHandler(ports: ServerHandlerPorts): ServerHandler {
  const { routes, access, checkPage, meter, tracer, logger, lifetime } = ports;
  const router = createRouter(routes);

  /** Returns the answer of a request; `undefined` once the request has been answered. */
  const answer = async (request: ApiRequest, connection?: UpgradeConnection): Promise<EndpointResponse | undefined> => {
    const foreign = checkPage?.(request.message);
    if (foreign !== undefined) return errorLine(403, foreign);
    const match = router.match(request.target);
    if (match.kind === 'unknown') return errorLine(404, '404 page not found');
    if (match.kind === 'redirect') return redirectAnswer(match.location, request.method);
    const denial = await access?.check(request.message, request.target.path);
    if (denial !== undefined) return denial;
    if ('pattern' in match.route) return match.route.handle(request);
    const { path } = request.target;
    const selection = selectOperation(match.route, {
      path,
      method: request.method,
      accept: request.message.headers.accept,
    });
    if ('failure' in selection) return selection.failure;
    return operate(selection.operation, { ...request, segments: selection.segments }, connection);
  };
  const operate = async (
    operation: Operation,
    request: ApiRequest,
    connection: UpgradeConnection | undefined,
  ): Promise<EndpointResponse | undefined> => {
    if (connection === undefined || operation.upgrade === undefined) return operation.handle(request);
    await operation.upgrade(request, connection);
    return undefined;
  };

  const serve = async (
    message: IncomingMessage,
    response: ServerResponse,
    connection?: UpgradeConnection,
  ): Promise<void> => {
    const left = new AbortController();
    const carrier = connection?.socket ?? response;
    carrier.once('close', () => left.abort(new Error('the reader went away')));
    const signal = AbortSignal.any([left.signal, lifetime.signal]);
    const readBody = connection === undefined ? receiveBody(message) : () => Promise.resolve('');
    try {
      if (ports.admit !== undefined) {
        const release = ports.admit(message.socket);
        if (release === undefined) {
          await sendAnswer(response, TOO_MANY_REQUESTS, signal);
          return;
        }
        carrier.once('close', release);
      }
      if (countHosts(message) > 1) throw new EndpointError(400, '400 Bad Request', { connection: 'close' });
      const target = parseTarget(message.url ?? '/');
      const { method = 'GET', headers } = message;
      const { parameters } = target;
      const request = { message, response, target, method, headers, parameters, segments: [], signal, readBody };
      const answered = await answer(request, connection);
      if (answered !== undefined) await sendAnswer(response, answered, signal);
    } catch (error) {
      await answerError(message, response, error, signal);
    }
  };
  const answerError = async (
    message: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    signal: AbortSignal,
  ): Promise<void> => {
    const isGone = response.destroyed || signal.aborted;
    if (!isGone && error instanceof EndpointError && !response.headersSent) {
      const { status, headers, message: body } = error;
      await sendAnswer(response, { status, headers, body }, signal);
      return;
    }
    if (!isGone) {
      logger.error('a request could not be answered', { request: pathOf(message), error: errorMessage(error) });
      if (!response.headersSent) {
        await sendAnswer(
          response,
          errorLine(500, 'the request could not be answered: see the log of the agent'),
          signal,
        );
        return;
      }
    }
    // A started answer can only be aborted, which shows the reader that it is incomplete.
    response.destroy();
  };

  const measure = (message: IncomingMessage, served: () => Promise<void>): Promise<void> =>
    meter === undefined
      ? served()
      : meter.measure(access === undefined ? 'readonly' : 'readwrite', message.method ?? '', pathOf(message), served);

  /** Traces a request to one of the routes; others have no name that clients could not choose. */
  const trace = (message: IncomingMessage, served: () => Promise<void>, status: () => number): Promise<void> => {
    const target = tracer && tryParse(message.url ?? '/');
    const match = target && router.match(target);
    if (tracer === undefined || match?.kind !== 'route') return served();
    const route = 'pattern' in match.route ? match.route.pattern : match.route.root;
    return tracer.trace({ method: message.method ?? 'GET', route }, served, status);
  };

  /** Latest response of each connection. Responses are sent in the order of the requests, so that it is the last one. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const isAnswering = (socket: Socket): boolean => {
    const response = latest.get(socket);
    return response !== undefined && (response.socket !== null || !response.writableFinished);
  };
  /**
   * Whether the target of a request has streams, so that its request for an upgrade is taken seriously. Others are answered as if they had not asked for one. So is a request that
   * did not wait for the answers to earlier ones: an upgrade would take their connection from them.
   */
  const hasStreams = (message: IncomingMessage): boolean => {
    if (isAnswering(message.socket)) return false;
    const target = tryParse(message.url ?? '/');
    const match = target && router.match(target);
    if (match?.kind !== 'route' || 'pattern' in match.route) return false;
    return match.route.operations.some(({ upgrade }) => upgrade !== undefined);
  };
  return {
    options: { shouldUpgradeCallback: hasStreams, maxHeaderSize: MAX_HEADER_BYTES },
    hasStreams,
    onRequest(message, response) {
      latest.set(message.socket, response);
      const served = (): Promise<void> => serve(message, response);
      void lifetime.track(measure(message, () => trace(message, served, () => response.statusCode)));
    },
    onUpgrade(message, socket, head) {
      // A connection that breaks is closed, which ends what it carries.
      socket.on('error', () => undefined);
      const response = new httpModule.ServerResponse(message);
      response.shouldKeepAlive = false;
      try {
        response.assignSocket(socket as Socket);
      } catch {
        // Node itself is answering an earlier request, such as one without a host, with an error.
        socket.destroy();
        return;
      }
      response.once('finish', () => {
        response.detachSocket(socket as Socket);
        // As after any last answer: the client's end of the connection must not keep it open.
        (socket as Socket).destroySoon();
      });
      const served = (): Promise<void> => serve(message, response, { socket, head, signal: lifetime.signal });
      const status = (): number => (response.headersSent ? response.statusCode : SWITCHING_PROTOCOLS);
      void lifetime.track(measure(message, () => trace(message, served, status)));
    },
  };
}

/** Returns the path of a request for the log, where queries do not belong: they may have secrets. */
function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** Returns the number of headers `Host`. Of several, a proxy before the server may have used another one than the server would. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

function tryParse(url: string): RequestTarget | undefined {
  try {
    return parseTarget(url);
  } catch {
    return undefined;
  }
}
