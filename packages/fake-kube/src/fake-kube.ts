import type { Clock, Logger, Random } from '@rxlet/component-base';
import type { StateStore } from '@rxlet/node-files/state-file';
import type { UserPermission } from './auth/node-authorizer.ts';
import type { User } from './auth/user.ts';
import type { CertificateAuthority } from './certificates/certificate-authority.ts';
import type { FaultScript } from './faults/faults.ts';
import type { UpgradeConnection } from './node-proxy/node-connections.ts';
import type { FakeObjects } from './objects/fake-objects.ts';
import type { WatchMatch } from './request/open-watches.ts';
import type { ResourceType } from './resource-type.ts';
import type { ApiRequest, ApiResponse } from './server/api-message.ts';
import type { ServerVersion } from './server/discovery.ts';
import type { RequestRecord } from './server/request-log.ts';

/** The outside world of a {@link FakeKube}. */
export interface FakeKubePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Store of objects, keys and the certificate authority between runs. It is loaded at the start, and saved before each change is answered. Default: none. */
  readonly stateStore?: StateStore;
}

/** Options of `createFakeKube`. */
export interface FakeKubeOptions {
  /** Resources beside the built-in ones. */
  readonly resources?: readonly ResourceType[];
  /** `node`: the rules of a cluster for node agents. Default `allow`: everybody may do everything. */
  readonly authorization?: 'allow' | 'node';
  /** Permissions of users who are no node agents, where authorization is `node`. Default: none. */
  readonly permissions?: readonly UserPermission[];
  /** Users by their bearer tokens. */
  readonly tokens?: Readonly<Record<string, User>>;
  /** Approves the certificate requests of node agents. Default: true. */
  readonly approvesNodeCertificates?: boolean;
  /** Binds pods to nodes that are ready and have the resources. Default: false, pods are bound by the test. */
  readonly schedules?: boolean;
  /**
   * Offers Deployments, ReplicaSets, DaemonSets, Jobs and EndpointSlices, with small controllers that are no replacement for those of Kubernetes, and removes what owners
   * leave behind. Default: false.
   */
  readonly controllers?: boolean;
  /** Offers `sendInitialEvents`. Default: true. */
  readonly hasStreamingLists?: boolean;
  /** Number of changes that watches can resume from. Default: 10,000. */
  readonly historyLimit?: number;
  /** Period of bookmarks on each watch. Default: one minute. */
  readonly bookmarkPeriodMs?: number;
  /** Duration of each request. Default: 0. */
  readonly latencyMs?: number;
  readonly version?: ServerVersion;
}

/** A Kubernetes API server in memory. */
export interface FakeKube extends AsyncDisposable {
  /** Handles a request. Rejects with `ConnectionLostError` when there is no answer. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Joins the connection of a request for an upgrade, such as `kubectl exec`, with the kubelet of a pod. Rejects with `ConnectionLostError` when there is no answer.
   *
   * @returns the answer to send when the connection is not joined
   */
  upgrade(request: ApiRequest, connection: UpgradeConnection): Promise<ApiResponse | undefined>;
  /** Objects, without authentication, authorization and faults. */
  readonly objects: FakeObjects;
  /** Scripted faults. */
  readonly faults: Pick<FaultScript, 'add' | 'clear'>;
  /** Returns the last 1,000 requests, oldest first. */
  requests(): readonly RequestRecord[];
  /** Breaks the connections of watches: of all, or of those of a resource or of a user. @returns their number */
  cutWatches(match?: WatchMatch): number;
  /** Lets the connections of watches die unnoticed: nothing comes any more, and they do not end. @returns their number */
  freezeWatches(match?: WatchMatch): number;
  /** Forgets the history, so that watches cannot resume (410 Gone). */
  compact(): void;
  /** Makes answers that may come from a cache (`resourceVersion=0`) lag behind by this number of changes. */
  setStaleness(revisions: number): void;
  /** Makes watches that resume send this number of changes again. */
  setReplay(revisions: number): void;
  /** Makes the server unreachable and breaks its connections, until it is started again. */
  stop(): void;
  /** Makes the server reachable again, after a restart: its history is gone. */
  start(): void;
  /** Whether the server can be reached. */
  readonly isRunning: boolean;
  /** Signs the certificates of users and nodes. Created at the first call. */
  authority(): Promise<CertificateAuthority>;
}
