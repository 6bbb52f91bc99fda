export { ApiError, type ApiErrorDetails, type ApiErrorReason } from './api-error.ts';
export type { IncomingObject, StoredMetadata, StoredObject } from './api-object.ts';
export { bootstrapTokenOf, bootstrapTokenSecret } from './auth/bootstrap-tokens.ts';
export type { UserPermission } from './auth/node-authorizer.ts';
export { admin, anonymous, nodeUser, type User } from './auth/user.ts';
export {
  type CertificateAuthority,
  type CertificateSubject,
  createCertificateAuthority,
  type KeyPair,
} from './certificates/certificate-authority.ts';
export { createFakeKube } from './create-fake-kube.ts';
export type { FakeKube, FakeKubeOptions, FakeKubePorts } from './fake-kube.ts';
export type { Fault, FaultAction, FaultMatch } from './faults/faults.ts';
export type { UpgradeConnection } from './node-proxy/node-connections.ts';
export type { FakeObjects, ResourceName } from './objects/fake-objects.ts';
export type { WatchMatch } from './request/open-watches.ts';
export type { ResourceType } from './resource-type.ts';
export { type ApiRequest, type ApiResponse, ConnectionLostError } from './server/api-message.ts';
export type { ServerVersion } from './server/discovery.ts';
export type { RequestRecord } from './server/request-log.ts';
export { type FakeKubeServer, serveFakeKube, type ServeFakeKubeOptions } from './server/serve-fake-kube.ts';
