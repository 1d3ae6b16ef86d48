import type { StoreStatus } from '@app/application';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('stores')
export class StoreEntity {
  @PrimaryGeneratedColumn({ type: 'int' })
  id!: number;

  @Column({ type: 'text' })
  subdomain!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'custom_domain', type: 'text', default: '' })
  customDomain!: string;

  @Column({ type: 'text' })
  currency!: string;

  @Column({ type: 'text', default: 'ACTIVE' })
  status!: StoreStatus;

  @Column({ name: 'logo_url', type: 'text', default: '' })
  logoUrl!: string;

  @Column({ name: 'primary_color', type: 'text', default: '' })
  primaryColor!: string;

  @Column({ name: 'seo_title', type: 'text', default: '' })
  seoTitle!: string;

  @Column({ type: 'jsonb', default: {} })
  contact: unknown;

  @Column({ type: 'jsonb', default: {} })
  theme: unknown;

  @Column({ name: 'payment_settings', type: 'jsonb', default: {} })
  paymentSettings: unknown;

  @Column({ name: 'ecommerce_settings', type: 'jsonb', default: {} })
  ecommerceSettings: unknown;

  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt!: Date;
}
