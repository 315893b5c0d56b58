# An image of Compute Engine, in the family "runner": packer init . && packer build -var-file=runner.pkrvars.hcl .
packer {
  required_plugins {
    googlecompute = {
      source  = "github.com/hashicorp/googlecompute"
      version = ">= 1.1.0, < 2.0.0"
    }
  }
}

variable "project" {
  type = string
}

variable "zone" {
  type = string
}

variable "runner_version" {
  type        = string
  description = "A release of https://github.com/actions/runner, without its v."
}

variable "runner_sha256" {
  type        = string
  description = "The SHA-256 that the release names for its Linux archive of the architecture."
}

variable "arch" {
  type    = string
  default = "x64"

  validation {
    condition     = contains(["x64", "arm64"], var.arch)
    error_message = "The architecture is x64 or arm64."
  }
}

variable "packages" {
  type        = string
  default     = "git jq unzip zip"
  description = "What jobs find installed."
}

variable "sudo" {
  type        = bool
  default     = false
  description = "Whether jobs may become root on their machine."
}

locals {
  ubuntu_arch = var.arch == "x64" ? "amd64" : "arm64"
  made        = formatdate("YYYYMMDD-hhmmss", timestamp())
}

source "googlecompute" "runner" {
  project_id   = var.project
  zone         = var.zone
  machine_type = var.arch == "x64" ? "e2-standard-2" : "t2a-standard-2"
  ssh_username = "packer"
  # The key that Packer came in with.
  ssh_clear_authorized_keys = true
  source_image_family       = "ubuntu-2404-lts-${local.ubuntu_arch}"
  source_image_project_id   = ["ubuntu-os-cloud"]
  image_name                = "runner-${replace(var.runner_version, ".", "-")}-${var.arch}-${local.made}"
  image_family              = "runner"
  disk_size                 = 20
  disk_type                 = "pd-balanced"
}

build {
  sources = ["source.googlecompute.runner"]

  provisioner "shell" {
    script          = "${path.root}/../install-runner.sh"
    execute_command = "sudo env {{ .Vars }} bash {{ .Path }}"
    environment_vars = [
      "RUNNER_VERSION=${var.runner_version}",
      "RUNNER_SHA256=${var.runner_sha256}",
      "RUNNER_ARCH=${var.arch}",
      "RUNNER_SUDO=${var.sudo ? "yes" : "no"}",
      "PACKAGES=${var.packages}",
    ]
  }
}
