import { Schema1764000000001 } from './0001-schema.js';
import { FraudVelocity1764000000002 } from './0002-fraud-velocity.js';
import { ListTallies1764000000003 } from './0003-list-tallies.js';
import { StageOutbox1764000000004 } from './0004-stage-outbox.js';
import { KeyUsage1764000000005 } from './0005-key-usage.js';
import { SimultaneousChanges1764000000006 } from './0006-simultaneous-changes.js';
import { HeldOrders1764000000007 } from './0007-held-orders.js';
import { Growth1764000000008 } from './0008-growth.js';
import { AttributeOrder1764000000010 } from './0010-attribute-order.js';

/** In order. A migration that was released is never edited: a change is a new one. */
export const MIGRATIONS = [
  Schema1764000000001,
  FraudVelocity1764000000002,
  ListTallies1764000000003,
  StageOutbox1764000000004,
  KeyUsage1764000000005,
  SimultaneousChanges1764000000006,
  HeldOrders1764000000007,
  Growth1764000000008,
  AttributeOrder1764000000010,
];
