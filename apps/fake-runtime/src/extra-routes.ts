import { Code, ConnectError, type ConnectRouter, type ConnectRouterOptions } from '@connectrpc/connect';
import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, ImageServiceDescriptor, RuntimeServiceDescriptor, StatusCode } from '@rxlet/cri-api';
import * as v1alpha2 from '@rxlet/cri-api/v1alpha2';
import type { FakeRuntime } from '@rxlet/fake-cri';
import {
  type AdvanceableClock,
  type ControlService,
  createControlService,
  FakeControlDescriptor,
  HealthDescriptor,
  ServerReflectionDescriptor,
  ServingStatus,
} from '@rxlet/fake-cri/control';
import { createReflection } from './reflection.ts';

/**
 * Routes the services besides the CRI: the fake's control and the health of the server, each also in Connect's JSON for `curl`, and reflection. `clock` is
 * what AdvanceClock advances.
 */
export function routeExtras(router: ConnectRouter, fake: FakeRuntime, clock: AdvanceableClock | undefined): void {
  router.service(FakeControlDescriptor, withConnectErrors(createControlService(fake, clock)), PROTOCOLS);
  router.service(ServerReflectionDescriptor, createReflection(SERVICES));
  router.service(
    HealthDescriptor,
    {
      check({ service }) {
        // The health of the server and of each service: all share one life.
        if (service !== '' && !SERVICE_NAMES.has(service))
          throw new ConnectError(`unknown service "${service}"`, Code.NotFound);
        return { status: fake.running ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
      },
    },
    PROTOCOLS,
  );
}

/** gRPC, and Connect for `curl`. */
const PROTOCOLS: ConnectRouterOptions = { connect: true };

const SERVICES = [
  RuntimeServiceDescriptor,
  ImageServiceDescriptor,
  v1alpha2.RuntimeService,
  v1alpha2.ImageService,
  FakeControlDescriptor,
  HealthDescriptor,
];
const SERVICE_NAMES: ReadonlySet<string> = new Set(SERVICES.map(({ typeName }) => typeName));

/** Wraps the functions so that their errors keep their codes over the wire. */
function withConnectErrors(service: ControlService): ControlService {
  const wrapped = Object.entries(service).map(([name, method]: [string, (request: never) => unknown]) => [
    name,
    (request: never) => {
      const fail = (error: unknown): never => {
        const code = callErrorCode(error);
        if (code === undefined || code === StatusCode.Ok) throw error;
        throw new ConnectError(errorMessage(error), code, undefined, undefined, error);
      };
      try {
        const answer = method(request);
        return answer instanceof Promise ? answer.catch(fail) : answer;
      } catch (error) {
        return fail(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as ControlService;
}
