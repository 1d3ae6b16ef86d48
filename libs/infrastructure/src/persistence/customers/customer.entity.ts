import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Holds nothing secret: password hash, token and national id are in `customer_secrets`, which has no entity. */
@Entity('customers')
export class CustomerEntity {
  @PrimaryColumn({ name: 'store_id', type: 'int' })
  storeId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  phone: string;

  @Column({ type: 'text' })
  status: string;

  @Column({ name: 'email_verified', type: 'boolean' })
  emailVerified: boolean;

  @Column({ name: 'loyalty_points', type: 'int' })
  loyaltyPoints: number;

  /** Minor units; bigint, so text. */
  @Column({ name: 'total_spent', type: 'bigint' })
  totalSpent: string;

  @Column({ type: 'text', array: true })
  tags: string[];

  @Column({ type: 'text' })
  city: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'last_login', type: 'timestamptz', nullable: true })
  lastLogin: Date | null;
}
