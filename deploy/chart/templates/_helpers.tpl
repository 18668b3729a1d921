{{- define "hstar.labels" -}}
app.kubernetes.io/name: hstar
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "hstar.name" -}}
{{ printf "%s-%s" .root.Release.Name .part | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* A Service named hstar would otherwise set variables that begin with its name, which the programs refuse as unknown settings. */}}
{{- define "hstar.pod" -}}
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "hstar.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ .root.Values.secret | quote }} }
{{- end }}

{{- define "hstar.env" -}}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
- { name: HSTAR_VAR, value: /var/lib/hstar }
- { name: HSTAR_CAP_MEMORY_MIB, value: {{ int .Values.maxMemoryMiB | quote }} }
{{- if not .Values.certificates }}
- { name: HSTAR_CERTIFICATE_MIB, value: "0" }
{{- end }}
{{- end }}

{{- define "hstar.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: var, mountPath: /var/lib/hstar }
{{- if .Values.certificates }}
- { name: certificates, mountPath: /var/lib/hstar/certificates }
{{- end }}
{{- end }}

{{- define "hstar.volumes" -}}
- { name: tmp, emptyDir: { sizeLimit: 256Mi } }
- { name: var, emptyDir: { sizeLimit: {{ .layers | default "64Mi" }} } }
{{- if .root.Values.certificates }}
- { name: certificates, persistentVolumeClaim: { claimName: {{ .root.Values.certificates | quote }} } }
{{- end }}
{{- end }}
