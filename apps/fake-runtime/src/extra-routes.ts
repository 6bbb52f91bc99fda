import { Code, ConnectError, type ConnectRouter, type ConnectRouterOptions } from '@connectrpc/connect';
import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';
import {
  type ControlService,
  createControlService,
  FakeControlDescriptor,
  type FakeRuntime,
  HealthDescriptor,
  ServingStatus,
} from '@rxlet/fake-cri';

/** The services besides the CRI, each also in Connect's JSON for `curl`: the fake's control, and the health of the server. */
export function routeExtras(router: ConnectRouter, fake: FakeRuntime): void {
  router.service(FakeControlDescriptor, withConnectErrors(createControlService(fake)), PROTOCOLS);
  router.service(
    HealthDescriptor,
    {
      check({ service }) {
        // Of the server as a whole, and of every service of it: they all live and die together.
        if (service !== '' && !SERVICES.has(service))
          throw new ConnectError(`unknown service "${service}"`, Code.NotFound);
        return { status: fake.running ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
      },
    },
    PROTOCOLS,
  );
}

/** gRPC, and Connect for `curl`. */
const PROTOCOLS: ConnectRouterOptions = { connect: true };

const SERVICES: ReadonlySet<string> = new Set([
  'runtime.v1.RuntimeService',
  'runtime.v1.ImageService',
  'runtime.v1alpha2.RuntimeService',
  'runtime.v1alpha2.ImageService',
  FakeControlDescriptor.typeName,
]);

/** The same functions, whose errors keep their codes over the wire. */
function withConnectErrors(service: ControlService): ControlService {
  const wrapped = Object.entries(service).map(([name, method]: [string, (request: never) => unknown]) => [
    name,
    (request: never) => {
      try {
        return method(request);
      } catch (error) {
        const code = callErrorCode(error);
        if (code === undefined || code === StatusCode.Ok) throw error;
        throw new ConnectError(errorMessage(error), code, undefined, undefined, error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as ControlService;
}
