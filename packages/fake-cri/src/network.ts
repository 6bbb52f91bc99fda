export {
  type PodNetwork,
  PodNetworkError,
  type PodNetworkErrorCode,
  type PodNetworkMode,
  type ServedPort,
} from './network/pod-network.ts';
export {
  acceptOnly,
  type GrpcHealthService,
  type HealthStatus,
  type HttpRequest,
  type HttpResponse,
  type HttpService,
  type PortService,
  type TcpService,
} from './network/port-service.ts';
